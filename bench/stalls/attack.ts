import type { Call } from '../load/load.ts'
import type { Run } from '../run.ts'

/** What an attack works on: a server of this bench, and a repository of its account. */
export interface Stage extends Pick<Run, 'tempDir' | 'target'> {
  readonly dataDir: string
  /** `owner/name` of a repository that the account may write to. */
  readonly repo: string
}

/** Requests that are made to stop a server for its other callers. */
export interface Attack {
  readonly name: string
  readonly who: 'anonymous' | 'any account' | 'operator'
  /** Runs before anything is measured: pushes or writes what the requests need. */
  prepare?(stage: Stage): Promise<void>
  /** Sent at the same moment. */
  requests(stage: Stage): readonly Call[]
  /** Beside /version, another caller whose longest answer counts: one who reads a file or renders two letters. */
  readonly beside?: 'file' | 'rendering'
  /** Work concurrent with the requests, which is ended when they are answered. */
  hold?(stage: Stage): Promise<() => Promise<void>>
}

/** A request that carries a body; `path` begins after /api/v1. */
export const post = (
  { target }: Pick<Stage, 'target'>,
  path: string,
  { type = 'application/json', body, token }: { type?: string; body: string; token?: string },
): Call => ({
  method: 'POST',
  url: `${target.url}/api/v1${path}`,
  headers: { 'content-type': type, ...(token === undefined ? {} : { authorization: `token ${token}` }) },
  body,
})
