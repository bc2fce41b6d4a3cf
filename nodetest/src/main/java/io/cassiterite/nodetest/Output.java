/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

/**
 * The result of a command.
 *
 * @param exitCode the process's exit code
 * @param text     its standard output and error, in the order they came
 */
public record Output(int exitCode, String text)
{
    /** @return the text of a command that succeeded; fails with the text when it did not */
    public String success()
    {
        if (exitCode != 0)
            throw new AssertionError("exit code " + exitCode + ": " + text);
        return text;
    }
}
