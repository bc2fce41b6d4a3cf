/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Answers and values for a reader. */
final class Text
{
    private static final int HEX_BYTES_MAX = 4_096;
    private static final int GLOBAL_TABLE = 1;
    private static final int NO_METADATA = 4;
    private static final int METADATA_CHANGED = 8;

    private Text()
    {
    }

    /** @return the bytes, then what they mean */
    static String of(Envelope envelope)
    {
        return envelope == null ? "no answer" : hex(envelope.bytes()) + "\n      = " + decoded(envelope);
    }

    private static String decoded(Envelope envelope)
    {
        String head = String.format("version %02x, flags %02x, stream %d, ", envelope.version, envelope.flags, envelope.stream);
        try
        {
            Answer answer = new Answer(envelope);
            if (answer.isError())
                return head + answer.kind() + ": " + answer.message();
            return head + answer.kind() + (answer.isResult(Answer.ROWS) ? rows(answer.content()) : "");
        }
        catch (BufferUnderflowException | IllegalArgumentException | NegativeArraySizeException e)
        {
            return head + "not decodable: " + e;
        }
    }

    private static String rows(ByteBuffer body)
    {
        body.getInt();
        int flags = body.getInt();
        int columns = body.getInt();
        StringBuilder text = new StringBuilder(", flags " + flags + ", " + columns + " columns");
        if ((flags & 2) != 0)
            text.append(", state ").append(hex(Answer.value(body)));
        if ((flags & METADATA_CHANGED) != 0)
            text.append(", metadata id ").append(hex(shortBytes(body)));
        if ((flags & NO_METADATA) == 0)
            return text.append((flags & GLOBAL_TABLE) != 0 ? ", with metadata of " + string(body) + '.' + string(body) : ", with metadata")
                       .toString();
        int rows = body.getInt();
        text.append(", ").append(rows).append(" rows");
        for (int row = 0; row < rows; row++)
        {
            text.append("\n        ");
            for (int column = 0; column < columns; column++)
                text.append(hex(Answer.value(body))).append(" | ");
        }
        return text.toString();
    }

    private static byte[] shortBytes(ByteBuffer from)
    {
        byte[] bytes = new byte[from.getShort() & 0xffff];
        from.get(bytes);
        return bytes;
    }

    private static String string(ByteBuffer from)
    {
        return new String(shortBytes(from), StandardCharsets.UTF_8);
    }

    static String hex(byte[] bytes)
    {
        if (bytes == null)
            return "null";
        StringBuilder text = new StringBuilder("0x");
        for (int i = 0; i < Math.min(bytes.length, HEX_BYTES_MAX); i++)
            text.append(String.format("%02x", bytes[i]));
        return bytes.length > HEX_BYTES_MAX ? text + "... (" + bytes.length + " bytes)" : text.toString();
    }
}
