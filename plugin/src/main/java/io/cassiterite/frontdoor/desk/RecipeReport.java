/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

/** The statements that the front door knows, for people. */
final class RecipeReport
{
    static final String HEADER = "statement_id\tstate_text\texecutions\tquery_text\n";

    private final StringBuilder lines = new StringBuilder(HEADER);

    /** @param executions that the door answered */
    void add(Statement statement, String state, long executions)
    {
        lines.append(statement.id).append('\t').append(state).append('\t').append(executions).append('\t')
             .append(statement.query == null ? "" : statement.query.replaceAll("\\s+", " ").trim()).append('\n');
    }

    @Override
    public String toString()
    {
        return lines.toString();
    }
}
