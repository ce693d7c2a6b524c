import type { Viewer } from '../access/viewer.ts'
import type { CompiledOperation } from './compile-operation.ts'
import type { Fields } from './body/form.ts'
import type { PathPattern } from './path/path.ts'

/** The operation that a path stands for. */
export interface RouteMatch {
  readonly operation: CompiledOperation
  readonly pattern: PathPattern
  /** Path parameters as texts, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** A request that may go on. */
export interface Admitted extends RouteMatch {
  /** Whose credentials came with the request; `viewer` acts, which differs by sudo. */
  readonly caller: Viewer
  readonly viewer: Viewer
  /** What the operation's guard found. */
  readonly access: unknown
}

/** What a request that changes nothing reads; the same for all of them as long as nothing is committed. */
export interface RequestReads {
  /** What `work` reads is a part of the request. */
  during<T>(work: () => T): T
  /** Called when the answer is made: what is read later is no part of it. */
  end(): void
}

/** What the server learns of one request on its way through hooks and handlers. */
export interface RequestState {
  /** Undefined for what is no operation. */
  match: RouteMatch | undefined
  /** Undefined until the caller may go on. */
  admitted: Admitted | undefined
  /** `performance.now()` when the body of the request began to be read, Infinity while it waits; undefined: at once. */
  receivingSince: number | undefined
  /** The HTTP signature was found to be over another body. */
  isSignatureRefused: boolean
  /** Settles when the body of an upload was read to its end; throws Unauthenticated when it is not the signed one. */
  signedBodyCheck: (() => Promise<void>) | undefined
  /** The urlencoded body, once it was parsed. */
  form: Fields | undefined
  /** Of a request that changes nothing. */
  reads: RequestReads | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
}

export const createRequestState = (): RequestState => ({
  match: undefined,
  admitted: undefined,
  receivingSince: undefined,
  isSignatureRefused: false,
  signedBodyCheck: undefined,
  form: undefined,
  reads: undefined,
})
