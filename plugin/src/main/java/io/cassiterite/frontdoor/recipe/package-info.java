/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Recipes of prepared statements: what the front door must know of a SELECT to answer it without Cassandra.
 *
 * <p>A recipe is learned by probes. Cassandra makes its own query from values that the learner chose; the values that it
 * finds in that query tell which bind variable goes where. What plain substitution does not explain, has no recipe.
 *
 * <ul>
 * <li>{@code RecipeLearner.learn} may be called on any thread. It reads the schema, and no rows.
 * <li>A recipe is of the schema at one moment. Its user must drop it when the schema changes.
 * </ul>
 */
package io.cassiterite.frontdoor.recipe;
