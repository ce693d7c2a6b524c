import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ScopeCategory } from '../access/scopes.ts'
import type { Viewer } from '../access/viewer.ts'
import type { Paging } from '../platform/paging.ts'
import type { Answer } from './answer.ts'
import type { Guard } from './guards/guard.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
export type Area =
  'user' | 'admin' | 'organization' | 'repository' | 'issue' | 'miscellaneous' | 'settings' | 'notification' | 'package'

export interface Context<Access, Query, Body> {
  readonly viewer: Viewer
  /** What the guard resolved: the repository with its access, the organization, the user. */
  readonly access: Access
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly paging: Paging
  /** Aborted when the client leaves. */
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * How the body arrives: `json` also takes urlencoded forms; `text` gives `{ text }`; `stream` leaves `request.raw` to
 * the handler.
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
  readonly area: Area
  readonly summary: string
  readonly scopes: readonly ScopeCategory[]
  readonly guard: Guard<unknown>
  readonly query: TObject | undefined
  readonly body: TObject | undefined
  readonly bodyKind: BodyKind
  /**
   * The handler reads a streamed body by `receiveUpload`, which holds signed requests to it; others take no signature.
   */
  readonly checksDigest: boolean
  /** Schema of the answer for each success status; null is an empty body. */
  readonly responses: Readonly<Record<number, TSchema | null>>
  readonly errors: readonly number[]
  /**
   * For reads: all that the answer depends on beside the URL and the repository's name. A client that has the answer to
   * it hears 304 before the handler runs. Undefined when it cannot be told; reads without one are compared by their
   * text.
   */
  readonly validator:
    ((context: Context<never, never, never>) => Promise<string | undefined> | string | undefined) | undefined
  readonly handler: (context: Context<never, never, never>) => Promise<Answer> | Answer
}

type StaticOf<T> = T extends TObject ? Static<T> : undefined

interface OperationInput<Access, Query extends TObject | undefined, Body extends TObject | undefined> {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly aliases?: readonly string[]
  readonly area: Area
  readonly summary: string
  /** Token scope categories, all of them needed; the level follows from the method. */
  readonly scopes?: readonly ScopeCategory[]
  readonly guard: Guard<Access>
  readonly query?: Query
  readonly body?: Body
  readonly bodyKind?: BodyKind
  readonly checksDigest?: boolean
  readonly responses: Readonly<Record<number, TSchema | null>>
  readonly errors?: readonly number[]
  readonly validator?: (
    context: Context<Access, StaticOf<Query>, StaticOf<Body>>,
  ) => Promise<string | undefined> | string | undefined
  readonly handler: (context: Context<Access, StaticOf<Query>, StaticOf<Body>>) => Promise<Answer> | Answer
}

export function defineOperation<
  Access,
  Query extends TObject | undefined = undefined,
  Body extends TObject | undefined = undefined,
>(input: OperationInput<Access, Query, Body>): Operation {
  return {
    aliases: [],
    scopes: [],
    query: undefined,
    body: undefined,
    bodyKind: 'json',
    checksDigest: false,
    errors: [],
    ...input,
    validator: input.validator as Operation['validator'],
    handler: input.handler as unknown as Operation['handler'],
    guard: input.guard as Guard<unknown>,
  }
}
