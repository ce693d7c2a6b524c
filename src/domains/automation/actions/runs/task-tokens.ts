import { createHmac } from 'node:crypto'
import type { Core } from '../../../../core/module.ts'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { findRunningTask, type RunningTask } from './task-token.store.ts'

interface TaskTokenDeps extends Pick<Core, 'database' | 'secrets' | 'clock'> {
  /** How long a task may run. */
  readonly endlessMs: number
}

interface TokenTask {
  readonly id: number
  readonly jobId: number
  readonly runId: number
}

const base64url = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
const HEADER = base64url({ alg: 'HS256', typ: 'JWT' })

const CONTEXT = 'action_task.runtime_token'
const HOUR_SECONDS = 3600
/** How far the clocks of the nodes may differ: one may verify a token that another has just issued. */
const CLOCK_TOLERANCE_SECONDS = 60
const JOB_TOKEN = /^[0-9a-f]{40}$/

export type TaskTokens = ReturnType<typeof createTaskTokens>

/**
 * The two tokens of a task: the job token, which is stored by its hash, and the runtime token for the services of the
 * runner, a JSON Web Token (behaviour/actions#artifact-protocols-and-cache). Both end with the task.
 */
export function createTaskTokens({ database, secrets, clock, endlessMs }: TaskTokenDeps) {
  async function readRuntimeToken(token: string): Promise<number | undefined> {
    const { jwtVerify } = await import('jose')
    for (const key of secrets.signingKeys(CONTEXT))
      try {
        const options = {
          algorithms: ['HS256'],
          currentDate: new Date(clock.now()),
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
        }
        return Number((await jwtVerify(token, key, options)).payload['TaskID'])
      } catch {
        continue
      }
    return undefined
  }

  return {
    /** The runtime token; actions read `scp`, which names run and job. */
    issueRuntimeToken({ id, runId, jobId }: TokenTask): string {
      const now = Math.floor(clock.now() / 1000)
      const claims = {
        scp: `Actions.Results:${runId}:${jobId}`,
        TaskID: id,
        RunID: runId,
        JobID: jobId,
        ac: '[]',
        nbf: now,
        exp: now + HOUR_SECONDS + Math.ceil(endlessMs / 1000),
      }
      const signed = `${HEADER}.${base64url(claims)}`
      return `${signed}.${createHmac('sha256', secrets.signingKeys(CONTEXT)[0]!).update(signed).digest('base64url')}`
    },

    /** The running task of a runtime token or job token. Undefined for other tokens and when the task has ended. */
    async findTask(token: string): Promise<RunningTask | undefined> {
      if (JOB_TOKEN.test(token)) return findRunningTask(database.read, { tokenHash: sha256Hex(token) })
      const id = await readRuntimeToken(token)
      return id === undefined ? undefined : findRunningTask(database.read, { id })
    },
  }
}
