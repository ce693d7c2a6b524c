import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { ScopeCategory, Viewer } from '../access/viewer.ts'
import type { UserId } from '../platform/crypto/ids.ts'
import type { Logger } from '../platform/logger.ts'
import type { Paging } from '../platform/paging.ts'
import type { ApiResponse, ConditionalHeaders } from './answer/answer.ts'
import type { Guard } from './guards/guard.ts'
import type { ParamReaders, ReadParams } from './path/path.ts'
import { BODY_BYTES } from './body/limits.ts'
import type { UploadReader } from './body/upload.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
export type Area =
  'user' | 'admin' | 'organization' | 'repository' | 'issue' | 'miscellaneous' | 'settings' | 'notification' | 'package'

/** Authorizes a long-lived stream again: rights may change while it is open. */
export interface Reauthorization<Access> {
  /** The account whose credentials were sent; undefined without credentials. */
  readonly requesterId: UserId | undefined
  /** Whether `renew` checks the credentials themselves; otherwise it checks only their account. */
  readonly renewsCredentials: boolean
  /** Authorizes the request by the current rights. Throws the same errors as the first authorization. */
  renew(): Promise<{ readonly viewer: Viewer; readonly access: Access }>
}

/** The input of a handler. */
export interface Context<Access, Params, Query, Body> {
  readonly viewer: Viewer
  /** Counts the work of the requester for fair scheduling and rate limits; see `rateLimitKeyOf`. */
  readonly rateLimitKey: string
  /** The result of the guard: the repository with its access, the organization, the user. */
  readonly access: Access
  /** Path parameters, decoded. */
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly paging: Paging
  readonly reauthorization: Reauthorization<Access>
  /** The network of the client, which limits per address count by; see `clientNetwork`. */
  readonly network: string
  /** Aborted when the client disconnects before it has the whole response. */
  readonly signal: AbortSignal
  readonly headers: ConditionalHeaders
  /** A logger that adds the id of the request. */
  readonly log: Logger
}

/** The further member of operations with a streamed body. */
interface UploadContext {
  /** Reads the file sent by the client. */
  readonly upload: UploadReader
}

/** The context of any operation, as the pipeline creates it. */
export type AnyContext = Context<never, never, never, never> & UploadContext

/**
 * How the body is read: `json` also accepts forms; `text` yields `{ text }`; `stream` leaves reading to the handler,
 * which reads it by `upload`.
 */
export type BodyKind = 'json' | 'text' | 'stream'

/**
 * One operation of the contract: the router, the checks, OpenAPI, the permission matrix and the coverage gate all read
 * it.
 */
export interface Operation {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly aliases: readonly string[]
  /** Functions that convert path parameters to a narrower type. */
  readonly params: Readonly<Record<string, (value: never) => unknown>>
  readonly area: Area
  readonly summary: string
  readonly scopes: readonly ScopeCategory[]
  readonly guard: Guard<unknown>
  readonly query: TObject | undefined
  readonly body: TObject | undefined
  readonly bodyKind: BodyKind
  /** Maximum bytes; `bodyLimit` of the server applies too. The handlers of streamed bodies have their own limits. */
  readonly bodyLimit: number
  /**
   * The handler reads a streamed body by `upload`, which checks the digest of signed requests against it; other
   * handlers accept no signature.
   */
  readonly checksDigest: boolean
  /** Schema of the answer for each success status; null is an empty body. */
  readonly responses: Readonly<Record<number, TSchema | null>>
  readonly errors: readonly number[]
  /** Further members of the body of every error except 404, computed from its message. */
  readonly errorMembers: ((message: string) => object) | undefined
  /** Units that a call without credentials takes from the rate limit of its address. */
  readonly cost: number
  /**
   * For reads: everything on which the answer depends in addition to the URL and the repository's name. A client that
   * has this answer gets 304 before the handler runs. Undefined when it cannot be computed beforehand; reads without
   * one are compared by their text.
   */
  readonly validator: ((context: AnyContext) => Promise<string | undefined> | string | undefined) | undefined
  readonly handler: (context: AnyContext) => Promise<ApiResponse> | ApiResponse
}

type StaticOf<T> = T extends TObject ? Static<T> : undefined

/** The type parameters of an operation. */
interface OperationTypes {
  readonly access: unknown
  readonly path: string
  readonly readers: unknown
  readonly query: TObject | undefined
  readonly body: TObject | undefined
  readonly bodyKind: BodyKind
}

type ContextOf<T extends OperationTypes> = Context<
  T['access'],
  ReadParams<T['path'], T['readers']>,
  StaticOf<T['query']>,
  StaticOf<T['body']>
> &
  (T['bodyKind'] extends 'stream' ? UploadContext : unknown)

interface OperationInput<T extends OperationTypes> {
  readonly id: string
  readonly method: Method
  /** See `compilePath`; its parameters give `params` their types. */
  readonly path: T['path']
  /** Further paths; a parameter that one of them lacks needs a reader, which gets undefined. */
  readonly aliases?: readonly string[]
  /** Functions that give path parameters a narrower type: `{ id: asId<LabelId> }`. */
  readonly params?: T['readers']
  readonly area: Area
  readonly summary: string
  /** Token scope categories, all of them needed; the level follows from the method. */
  readonly scopes?: readonly ScopeCategory[]
  readonly guard: Guard<T['access']>
  readonly query?: T['query']
  readonly body?: T['body']
  readonly bodyKind?: T['bodyKind']
  /** BODY_BYTES unless the operation carries files. */
  readonly bodyLimit?: number
  readonly checksDigest?: boolean
  readonly responses: Readonly<Record<number, TSchema | null>>
  readonly errors?: readonly number[]
  readonly errorMembers?: (message: string) => object
  readonly cost?: number
  readonly validator?: (context: ContextOf<T>) => Promise<string | undefined> | string | undefined
  readonly handler: (context: ContextOf<T>) => Promise<ApiResponse> | ApiResponse
}

export function defineOperation<
  Access,
  const Path extends string,
  Readers extends ParamReaders<Path> = {},
  Query extends TObject | undefined = undefined,
  Body extends TObject | undefined = undefined,
  Kind extends BodyKind = 'json',
>(
  input: OperationInput<{
    access: Access
    path: Path
    readers: Readers
    query: Query
    body: Body
    bodyKind: Kind
  }>,
): Operation {
  return {
    aliases: [],
    params: {},
    scopes: [],
    query: undefined,
    body: undefined,
    bodyKind: 'json',
    bodyLimit: BODY_BYTES,
    checksDigest: false,
    errors: [],
    errorMembers: undefined,
    cost: 0,
    ...input,
  } as unknown as Operation
}
