type Handler<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>

/** An extension point of a module: later modules register handlers while the server is composed. */
export interface Hook<Args extends readonly unknown[], Result = void> {
  register(handler: Handler<Args, Result>): void
  /** Calls every handler, one after the other in the order of registration. Rejects when one rejects, see `onError`. */
  run(...args: Args): Promise<readonly Result[]>
  /** Calls handlers in the order of registration until one has a result other than undefined. */
  first(...args: Args): Promise<Result | undefined>
}

interface HookOptions<Args extends readonly unknown[]> {
  /** Receives the error of a handler; `run` then continues with the next one, unless this throws. */
  onError?(error: unknown, ...args: Args): void
}

export function createHook<Args extends readonly unknown[], Result = void>({ onError }: HookOptions<Args> = {}): Hook<
  Args,
  Result
> {
  const handlers: Handler<Args, Result>[] = []
  return {
    register: (handler) => void handlers.push(handler),
    async run(...args) {
      const results: Result[] = []
      for (const handle of handlers) {
        try {
          results.push(await handle(...args))
        } catch (error) {
          if (onError === undefined) throw error
          onError(error, ...args)
        }
      }
      return results
    },
    async first(...args) {
      for (const handle of handlers) {
        const result = await handle(...args)
        if (result !== undefined) return result
      }
      return undefined
    },
  }
}

/** An extension point with one implementation, which a later module registers while the server is composed. */
export interface Port<T> {
  /** Throws when there is one already. */
  register(implementation: T): void
  /** Undefined without a module that implements it. */
  find(): T | undefined
  /** Throws without a module that implements it. */
  get(): T
}

/** `name`: the name of the extension point, for errors. */
export function createPort<T>(name: string): Port<T> {
  let registered: T | undefined
  return {
    register(implementation) {
      if (registered !== undefined) throw new Error(`${name}: registered twice`)
      registered = implementation
    },
    find: () => registered,
    get() {
      if (registered === undefined) throw new Error(`${name}: no module implements it`)
      return registered
    },
  }
}
