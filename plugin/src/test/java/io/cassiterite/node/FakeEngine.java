/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;

import org.apache.cassandra.io.util.File;

/** An engine whose answers a test sets, and which records its calls. */
public final class FakeEngine
{
    public final Map<String, Object> answers = new HashMap<>();
    final Map<String, Integer> calls = new HashMap<>();
    final Map<String, String> set = new HashMap<>();
    public RuntimeException resumeFailure;

    public FakeEngine()
    {
        answers.put("storeDirectory", new File("/store"));
        answers.put("isOpen", true);
        answers.put("options", Map.of());
    }

    public EngineControl control()
    {
        return (EngineControl) Proxy.newProxyInstance(FakeEngine.class.getClassLoader(),
                                                      new Class<?>[]{ EngineControl.class },
                                                      (proxy, method, arguments) -> answer(method.getName(), arguments));
    }

    public int calls(String method)
    {
        return calls.getOrDefault(method, 0);
    }

    @SuppressWarnings("unchecked")
    private Object answer(String method, Object[] arguments)
    {
        calls.merge(method, 1, Integer::sum);
        if (method.equals("set"))
            set.putAll((Map<String, String>) arguments[0]);
        if (method.equals("resume") && resumeFailure != null)
            throw resumeFailure;
        return answers.get(method);
    }
}
