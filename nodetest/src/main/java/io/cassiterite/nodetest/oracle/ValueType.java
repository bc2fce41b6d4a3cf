/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A CQL type of a random table: its name in a schema and random literals of it. Immutable. */
final class ValueType
{
    enum Kind
    {
        NATIVE, COUNTER, LIST, SET, MAP, TUPLE, UDT, VECTOR
    }

    final Kind kind;
    final String name;
    final boolean frozen;
    final List<ValueType> parts;
    /** Of a user type: names of its fields, as many as parts. */
    final List<String> fields;

    private ValueType(Kind kind, String name, boolean frozen, List<ValueType> parts, List<String> fields)
    {
        this.kind = kind;
        this.name = name;
        this.frozen = frozen;
        this.parts = parts;
        this.fields = fields;
    }

    /** @return whether the type, or one within it, is of this kind */
    boolean has(Kind wanted)
    {
        return kind == wanted || parts.stream().anyMatch(part -> part.has(wanted));
    }

    static ValueType nativeType(String name)
    {
        return new ValueType(Kind.NATIVE, name, true, List.of(), List.of());
    }

    static ValueType set(ValueType element)
    {
        return new ValueType(Kind.SET, null, true, List.of(element), List.of());
    }

    static ValueType map(ValueType key, ValueType value)
    {
        return new ValueType(Kind.MAP, null, true, List.of(key, value), List.of());
    }

    static ValueType counter()
    {
        return new ValueType(Kind.COUNTER, "counter", true, List.of(), List.of());
    }

    static ValueType userType(String name, boolean frozen, List<String> fields, List<ValueType> parts)
    {
        return new ValueType(Kind.UDT, name, frozen, parts, fields);
    }

    /** @return a random type; {@code key} types can be compared (no duration inside) and are frozen */
    static ValueType random(Random random, boolean key, int depth, List<ValueType> userTypes)
    {
        int pick = random.nextInt(100);
        if (depth == 0 || pick < (key ? 88 : 50))
            return randomNative(random, key);
        boolean frozen = key || depth < 2 || random.nextInt(3) == 0;
        if (pick < 58)
            return new ValueType(Kind.LIST, null, frozen, List.of(random(random, key, depth - 1, userTypes)), List.of());
        if (pick < 67)
            return new ValueType(Kind.SET, null, frozen, List.of(random(random, true, depth - 1, userTypes)), List.of());
        if (pick < 77)
            return new ValueType(Kind.MAP, null, frozen,
                                 List.of(random(random, true, depth - 1, userTypes), random(random, key, depth - 1, userTypes)),
                                 List.of());
        if (pick < 84)
            return new ValueType(Kind.TUPLE, null, true,
                                 List.of(random(random, key, depth - 1, userTypes), random(random, key, depth - 1, userTypes)),
                                 List.of());
        if (pick < 95 && !userTypes.isEmpty())
        {
            ValueType type = userTypes.get(random.nextInt(userTypes.size()));
            if (!key || type.isComparable())
                return userType(type.name, frozen, type.fields, type.parts);
        }
        return new ValueType(Kind.VECTOR, "vector<float, " + (1 + random.nextInt(3)) + '>', true, List.of(), List.of());
    }

    static ValueType randomNative(Random random, boolean key)
    {
        String[] names = NativeValues.typeNames();
        while (true)
        {
            String name = names[random.nextInt(names.length)];
            if (!key || !name.equals("duration"))
                return nativeType(name);
        }
    }

    boolean isComparable()
    {
        return !(kind == Kind.NATIVE && name.equals("duration")) && parts.stream().allMatch(ValueType::isComparable);
    }

    boolean isMultiCell()
    {
        return !frozen;
    }

    boolean isNumber()
    {
        return kind == Kind.NATIVE && Set.of("bigint", "decimal", "double", "float", "int", "smallint", "tinyint", "varint").contains(name);
    }

    /** @return the type as a schema writes it */
    String cql()
    {
        String inner;
        switch (kind)
        {
            case LIST:
                inner = "list<" + parts.get(0).cql() + '>';
                break;
            case SET:
                inner = "set<" + parts.get(0).cql() + '>';
                break;
            case MAP:
                inner = "map<" + parts.get(0).cql() + ", " + parts.get(1).cql() + '>';
                break;
            case TUPLE:
                return "tuple<" + parts.get(0).cql() + ", " + parts.get(1).cql() + '>';
            case UDT:
                inner = name;
                break;
            default:
                return name;
        }
        return frozen ? "frozen<" + inner + '>' : inner;
    }

    /** @return a random literal, never null at the top */
    String literal(Random random)
    {
        switch (kind)
        {
            case NATIVE:
                return NativeValues.literal(name, random);
            case COUNTER:
                return Integer.toString(random.nextInt(10));
            case LIST:
                return '[' + String.join(", ", several(parts.get(0), random)) + ']';
            case SET:
                return '{' + String.join(", ", several(parts.get(0), random)) + '}';
            case MAP:
                return mapLiteral(random);
            case TUPLE:
                return '(' + orNull(parts.get(0), random) + ", " + orNull(parts.get(1), random) + ')';
            case UDT:
                return userLiteral(random);
            case VECTOR:
                return vectorLiteral(random);
            default:
                throw new AssertionError(kind);
        }
    }

    private String mapLiteral(Random random)
    {
        List<String> entries = new ArrayList<>();
        for (String key : several(parts.get(0), random))
            if (entries.isEmpty() || parts.get(0).isWrittenInOneWay())
                entries.add(key + ": " + parts.get(1).literal(random));
        return '{' + String.join(", ", entries) + '}';
    }

    /**
     * Whether equal values have equal literals. Which of two equal keys of one literal wins, Cassandra leaves to chance: it puts
     * them into a HashMap by identity.
     */
    private boolean isWrittenInOneWay()
    {
        return kind != Kind.SET && kind != Kind.MAP && kind != Kind.UDT && parts.stream().allMatch(ValueType::isWrittenInOneWay);
    }

    private String userLiteral(Random random)
    {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++)
            if (i == 0 || random.nextInt(4) > 0)
                entries.add(fields.get(i) + ": " + orNull(parts.get(i), random));
        return '{' + String.join(", ", entries) + '}';
    }

    private String vectorLiteral(Random random)
    {
        int length = Integer.parseInt(name.replaceAll("\\D", ""));
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < length; i++)
            elements.add(random.nextInt(3) + ".5");
        return '[' + String.join(", ", elements) + ']';
    }

    private static Set<String> several(ValueType type, Random random)
    {
        Set<String> literals = new LinkedHashSet<>();
        for (int i = random.nextInt(4); i > 0; i--)
            literals.add(type.literal(random));
        return literals;
    }

    /** A null or an empty value where a clustering or key compares is legal inside tuples and user types. */
    private static String orNull(ValueType type, Random random)
    {
        if (random.nextInt(8) == 0)
            return "null";
        return type.kind == Kind.NATIVE ? NativeValues.literalOrEmpty(type.name, random, 8) : type.literal(random);
    }
}
