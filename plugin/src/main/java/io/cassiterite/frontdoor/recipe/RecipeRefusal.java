/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

/** Why a prepared statement has no recipe, so that Cassandra answers it. */
public enum RecipeRefusal
{
    OTHER_HANDLER("another query handler than Cassiterite's may change statements"),
    NOT_A_SELECT("it neither reads nor writes rows"),
    NOT_IN_ENGINE("its table is not an engine table"),
    SYSTEM_TABLE("its table is one of Cassandra's own"),
    VIEW("it reads a materialized view"),
    COMPACT("its table has COMPACT STORAGE"),
    INDEXED("its table has an index"),
    HAS_VIEWS("its table has a materialized view"),
    TRIGGERED("its table has a trigger"),
    MASKED("its table has a masked column"),
    READDED_COLUMN("a column was dropped and added again, and older values must stay hidden"),
    JSON("it selects JSON"),
    DISTINCT("it selects DISTINCT"),
    GROUP_BY("it groups rows"),
    AGGREGATE("it aggregates rows"),
    FUNCTION("it calls a function"),
    COMPUTED("its selection is more than columns"),
    ALLOW_FILTERING("it may filter rows"),
    KEY_RANGE("it does not restrict the whole partition key to one value"),
    KEYS("it asks for several partitions"),
    INDEX_QUERY("it uses an index"),
    ROW_FILTER("it filters rows"),
    KEY_TYPE("a column of the primary key has a type whose values the door cannot order"),
    BIND_TYPE("a bind variable has a type that the learner has no probes for"),
    TOO_MANY_VALUES("it has more rows, columns or variables than a plan can tell"),
    CONDITIONAL("it is a lightweight transaction"),
    COUNTER("it writes a counter"),
    NEEDS_READ("it has to read what it writes"),
    OWN_TIMESTAMP("it names its time of writing in CQL"),
    COLLECTION("it writes a collection that is not frozen"),
    SEVERAL_ROWS("it writes a partition, a range or several rows"),
    EMPTY_CONSTANT("it compares with a constant that is empty and no text"),
    ERROR("Cassandra answers values that are valid for their types with an error"),
    NO_READ("no probe leads to a read"),
    UNEXPLAINED("substitution of its variables does not explain what it reads"),
    GUARDED("a guardrail counts the rows that it names"),
    FAILED("the learner failed; the node's log says why"),
    SCHEMA_CHANGE("the schema changes at this moment", true);

    private final String text;
    private final boolean isTransient;

    RecipeRefusal(String text)
    {
        this(text, false);
    }

    RecipeRefusal(String text, boolean isTransient)
    {
        this.text = text;
        this.isTransient = isTransient;
    }

    /** @return for people; continues "there is no recipe, because" */
    public String text()
    {
        return text;
    }

    /** True if the same statement may have a recipe soon, without a later change of the schema. */
    public boolean isTransient()
    {
        return isTransient;
    }
}
