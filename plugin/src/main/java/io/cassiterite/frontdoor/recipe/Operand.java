/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.List;

/** Where a value of a read comes from: a bind variable, or the statement's text. Immutable. */
final class Operand
{
    private static final int NONE = -1;

    private final int bind;
    private final byte type;
    private final ByteBuffer constant;

    private Operand(int bind, byte type, ByteBuffer constant)
    {
        this.bind = bind;
        this.type = type;
        this.constant = constant;
    }

    static Operand bind(int index, byte type)
    {
        return new Operand(index, type, null);
    }

    static Operand constant(ByteBuffer value)
    {
        return new Operand(NONE, (byte) 0, value);
    }

    boolean isBind()
    {
        return bind != NONE;
    }

    int bind()
    {
        return bind;
    }

    /** The code of a bind variable's type. */
    byte type()
    {
        return type;
    }

    ByteBuffer constant()
    {
        return constant.duplicate();
    }

    ByteBuffer in(Probe probe)
    {
        return isBind() ? probe.values.get(bind) : constant;
    }

    static ByteBuffer[] in(Probe probe, List<Operand> operands)
    {
        return operands.stream().map(operand -> operand.in(probe)).toArray(ByteBuffer[]::new);
    }
}
