import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HealthCheck } from './health-check.ts'

export interface HealthParts {
  /** If it fails, no request succeeds. */
  readonly database: HealthCheck
  /** If one of them fails, this process should receive no requests. */
  readonly needed: readonly HealthCheck[]
  /** If one of them fails, most requests still succeed. */
  readonly optional: readonly HealthCheck[]
  /** Aborted when the server is about to stop. */
  readonly stopping: AbortSignal
}

type Status = 'fail' | 'pass' | 'warn'

/**
 * `/api/healthz`: whether the process and its database respond. `/api/readyz`: whether a load balancer should send
 * requests to this process. 200 or 503, see behaviour/users-and-admin#health. The responses name the failed component,
 * but not the reason.
 */
export function registerHealth(app: FastifyInstance, { database, needed, optional, stopping }: HealthParts): void {
  app.get('/api/healthz', async (_, reply) => answer(reply, await run([database], 'fail')))
  app.get('/api/readyz', async (_, reply) => {
    const server: [string, Status] = ['server', stopping.aborted ? 'fail' : 'pass']
    const [must, may] = await Promise.all([run([database, ...needed], 'fail'), run(optional, 'warn')])
    return answer(reply, [server, ...must, ...may])
  })
}

const run = (checks: readonly HealthCheck[], otherwise: Status): Promise<[string, Status][]> =>
  Promise.all(checks.map(async (check) => [check.name, (await check.passes()) ? 'pass' : otherwise]))

function answer(reply: FastifyReply, results: readonly [string, Status][]): FastifyReply {
  const has = (wanted: Status): boolean => results.some(([, status]) => status === wanted)
  const status: Status = has('fail') ? 'fail' : has('warn') ? 'warn' : 'pass'
  return reply
    .code(status === 'fail' ? 503 : 200)
    .header('content-type', 'application/health+json')
    .header('cache-control', 'no-store')
    .send(JSON.stringify({ status, checks: Object.fromEntries(results) }))
}
