import type { Viewer } from '../access/viewer.ts'
import type { CompiledOperation } from './compile-operation.ts'
import type { Fields } from './body/form.ts'
import type { PathPattern } from './path/path.ts'

/** The operation that a path stands for. */
export interface RouteMatch {
  readonly operation: CompiledOperation
  readonly pattern: PathPattern
  /** Path parameters as decoded strings. */
  readonly params: Readonly<Record<string, string>>
}

/** An authorized request. */
export interface Authorized extends RouteMatch {
  /** The account whose credentials were sent; `viewer` acts, which differs by sudo. */
  readonly requester: Viewer
  readonly viewer: Viewer
  /** The result of the operation's guard. */
  readonly access: unknown
}

/** The snapshot of a request that only reads; shared by all such requests until the next commit. */
export interface RequestReads {
  /** Runs `work` as a part of the request. */
  during<T>(work: () => T): T
  /** Called when the response is complete; later reads are not part of the request. */
  end(): void
}

/** State of a request on its way through hooks and handlers. */
export interface RequestState {
  /** Undefined if the path is not an operation. */
  match: RouteMatch | undefined
  /** Undefined until the request is authorized. */
  authorized: Authorized | undefined
  /** `performance.now()` when the body of the request began to be read, Infinity while it waits; undefined: at once. */
  receivingSince: number | undefined
  /** Whether the HTTP signature turned out to cover another body. */
  isSignatureRefused: boolean
  /** Resolves when the body of an upload has been read; throws Unauthenticated if it is not the signed body. */
  signedBodyCheck: (() => Promise<void>) | undefined
  /** The urlencoded body, once it has been parsed. */
  form: Fields | undefined
  /** Set for requests that only read. */
  reads: RequestReads | undefined
  /** Whether it is logged as a read although its method is another: it was answered and changed nothing. */
  isQuiet: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
}

export const createRequestState = (): RequestState => ({
  match: undefined,
  authorized: undefined,
  receivingSince: undefined,
  isSignatureRefused: false,
  signedBodyCheck: undefined,
  form: undefined,
  reads: undefined,
  isQuiet: false,
})
