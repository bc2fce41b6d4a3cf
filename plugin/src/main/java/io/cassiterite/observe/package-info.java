/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The plug-in's own MBean, and what all that operators call over JMX has in common. The packages below this one hold what
 * operators see and call: {@link io.cassiterite.observe.nodetool}, {@link io.cassiterite.observe.metrics} and
 * {@link io.cassiterite.observe.tables}. The thread cassiterite-maintenance registers all of them.
 * <ul>
 * <li>{@link Engine} stands in the MBean server. The JMX server calls it on its RMI threads, without a lock. Long work is
 *     done in the call. Exceptions must be of the JDK's classes: a JMX client has no others.
 * </ul>
 */
package io.cassiterite.observe;
