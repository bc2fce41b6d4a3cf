/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import io.cassiterite.engine.Answer;

/**
 * The entries of one partition in an answer. A source that owns its answer closes it at the end; the source of a
 * scanned partition leaves that to the scan.
 */
final class RowSource implements AutoCloseable
{
    private final Answer answer;
    private final boolean owned;
    private boolean done;

    RowSource(Answer answer, boolean owned)
    {
        this.answer = answer;
        this.owned = owned;
    }

    Answer answer()
    {
        return answer;
    }

    /** Moves to the partition's next row, across slices; false at its end. */
    boolean nextRow()
    {
        while (!done && advance())
            if (answer.kind() == Answer.ROW)
                return true;
        return false;
    }

    /** Moves to the slice's next row; false at its end, from where the next slice can be read. */
    boolean nextRowOfSlice()
    {
        return !done && advance() && answer.kind() == Answer.ROW;
    }

    /** Moves to the next entry if it is of this kind. */
    boolean nextIf(int kind)
    {
        if (done || !advance())
            return false;
        if (answer.kind() == kind)
            return true;
        answer.pushBack();
        return false;
    }

    private boolean advance()
    {
        if (!answer.next())
        {
            close();
            return false;
        }
        if (owned || answer.kind() != Answer.PARTITION)
            return true;
        answer.pushBack();
        done = true;
        return false;
    }

    /** Ends the use of this source; the rest of its partition is not read. */
    @Override
    public void close()
    {
        done = true;
        if (owned)
            answer.close();
    }
}
