import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../platform/logger.ts'

/** Named checks; each rejects when its part does not work. */
export type HealthChecks = Readonly<Record<string, () => Promise<unknown>>>

const DEADLINE_MS = 3_000

/**
 * `/api/healthz`: 200 while every check passes, 503 otherwise. Says which part failed, never why; the reason is logged.
 */
export function registerHealth(app: FastifyInstance, checks: HealthChecks, log: Logger): void {
  app.get('/api/healthz', async (_, reply) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await withDeadline(check())
          return [name, 'pass'] as const
        } catch (error) {
          log.error({ err: error, check: name }, 'health check failed')
          return [name, 'fail'] as const
        }
      }),
    )
    const failed = results.some(([, status]) => status === 'fail')
    reply
      .code(failed ? 503 : 200)
      .header('content-type', 'application/health+json')
      .header('cache-control', 'no-store')
    return reply.send(JSON.stringify({ status: failed ? 'fail' : 'pass', checks: Object.fromEntries(results) }))
  })
}

async function withDeadline(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('took too long')), DEADLINE_MS)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
