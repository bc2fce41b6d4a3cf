/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

/** What the oracle reads in an answer: ids, paging states, codes of errors. Immutable. */
final class Answer
{
    static final int VOID = 1;
    static final int ROWS = 2;
    static final int PREPARED = 4;

    static final int UNPREPARED = 0x2500;
    /** Overloaded, and timeouts of writes and reads: the machine's doing. */
    private static final Set<Integer> TRANSIENT = Set.of(0x1001, 0x1100, 0x1200);

    private static final int SERVER_ERROR = 0;
    private static final String OUT_OF_BOUNDS = "java.lang.IndexOutOfBoundsException";
    private static final int PROTOCOL_ERROR = 0x0A;
    private static final int HAS_MORE_PAGES = 2;
    private static final int NO_METADATA = 4;
    private static final int TRACE_ID_BYTES = 16;

    private final Envelope envelope;
    private final ByteBuffer content;
    /** Where the warnings begin, if there are any. */
    private final int warnings;

    Answer(Envelope envelope)
    {
        this.envelope = envelope;
        content = ByteBuffer.wrap(envelope.body);
        if (envelope.has(Envelope.TRACING))
            content.position(TRACE_ID_BYTES);
        warnings = Envelope.HEADER_BYTES + content.position();
        if (envelope.has(Envelope.WARNING))
            for (int i = content.getShort(); i > 0; i--)
                shortBytes(content);
        if (envelope.has(Envelope.CUSTOM_PAYLOAD))
            for (int i = content.getShort(); i > 0; i--)
            {
                shortBytes(content);
                value(content);
            }
    }

    /** @return what follows the trace's id, the warnings and the payload */
    ByteBuffer content()
    {
        return content.duplicate();
    }

    boolean isError()
    {
        return envelope.opcode == Envelope.ERROR;
    }

    boolean isError(int code)
    {
        return isError() && content().getInt() == code;
    }

    boolean isTransient()
    {
        return isError() && TRANSIENT.contains(content().getInt());
    }

    /** @return whether the connection may end with it */
    boolean isProtocolError()
    {
        return isError(PROTOCOL_ERROR) || isError(SERVER_ERROR);
    }

    boolean isResult(int kind)
    {
        return envelope.opcode == Envelope.RESULT && content().getInt() == kind;
    }

    /** @return the state with which the next page is asked for; null where there is none */
    byte[] pagingState()
    {
        if (!isResult(ROWS))
            return null;
        ByteBuffer rows = content();
        rows.getInt();
        boolean hasMore = (rows.getInt() & HAS_MORE_PAGES) != 0;
        rows.getInt();
        return hasMore ? value(rows) : null;
    }

    /** @return how many rows there are; -1 where the metadata before the number was not skipped */
    private int rows()
    {
        ByteBuffer rows = content();
        rows.getInt();
        boolean hasMetadata = (rows.getInt() & NO_METADATA) == 0;
        rows.getInt();
        return hasMetadata ? -1 : rows.getInt();
    }

    /** @return the id of a prepared statement; in version 5 also that of its result's metadata, else null */
    byte[][] preparedIds()
    {
        ByteBuffer prepared = content();
        prepared.getInt();
        byte[] id = shortBytes(prepared);
        return new byte[][]{ id, (envelope.version & ~Envelope.RESPONSE_BIT) < 5 ? null : shortBytes(prepared) };
    }

    /** @return a word for counting */
    String kind()
    {
        if (isError())
            return String.format("error %04x", content().getInt());
        if (envelope.opcode != Envelope.RESULT)
            return "opcode " + envelope.opcode;
        switch (content().getInt())
        {
            case VOID:
                return "void";
            case ROWS:
                return (pagingState() == null ? rows() == 0 ? "rows, none" : "rows" : "rows, more pages")
                       + (envelope.has(Envelope.WARNING) ? ", warning" : "");
            case PREPARED:
                return "prepared";
            default:
                return "result " + content().getInt();
        }
    }

    /**
     * @return the bytes that are to be equal on both sides: all but the id that the server gave a trace, the order of the
     *         warnings, and what an error tells of Netty's buffer that a request did not fill
     */
    static byte[] comparable(Envelope envelope)
    {
        byte[] bytes = envelope.bytes();
        Answer answer = new Answer(envelope);
        if (answer.isError(SERVER_ERROR) && answer.message().startsWith(OUT_OF_BOUNDS))
            return envelope.with(OUT_OF_BOUNDS.getBytes(StandardCharsets.UTF_8), false).bytes();
        if (envelope.has(Envelope.TRACING))
            Arrays.fill(bytes, Envelope.HEADER_BYTES, Math.min(bytes.length, Envelope.HEADER_BYTES + TRACE_ID_BYTES), (byte) 0);
        if (envelope.has(Envelope.WARNING))
            sortWarnings(ByteBuffer.wrap(bytes, answer.warnings, bytes.length - answer.warnings));
        return bytes;
    }

    private static void sortWarnings(ByteBuffer warnings)
    {
        byte[][] sorted = new byte[warnings.getShort()][];
        ByteBuffer in = warnings.duplicate();
        for (int i = 0; i < sorted.length; i++)
            sorted[i] = shortBytes(in);
        Arrays.sort(sorted, Arrays::compare);
        for (byte[] warning : sorted)
            warnings.putShort((short) warning.length).put(warning);
    }

    /** @return the message of an error */
    String message()
    {
        ByteBuffer error = content();
        error.getInt();
        return new String(shortBytes(error), StandardCharsets.UTF_8);
    }

    private static byte[] shortBytes(ByteBuffer from)
    {
        byte[] bytes = new byte[from.getShort() & 0xffff];
        from.get(bytes);
        return bytes;
    }

    static byte[] value(ByteBuffer from)
    {
        int length = from.getInt();
        if (length < 0)
            return null;
        byte[] bytes = new byte[length];
        from.get(bytes);
        return bytes;
    }
}
