// Ports of features that are built later than the features that call them: only for features that really need each other.

/** Each function of a port looks its feature up when it is called, so `bind` must run before the first call. */
export function latePorts<Ports extends Record<keyof Ports, object>>(): {
  ports: Ports;
  bind(built: Ports): void;
} {
  let bound: Ports | null = null;
  const portNamed = (name: keyof Ports) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...values: unknown[]) => {
            if (!bound)
              throw new Error(`${String(name)}.${String(method)} is called before the app is built.`);
            const port: object = bound[name];
            return Reflect.apply(Reflect.get(port, method), port, values);
          },
      },
    );
  return {
    ports: new Proxy({} as Ports, { get: (_, name) => portNamed(name as keyof Ports) }),
    bind(built) {
      bound = built;
    },
  };
}
