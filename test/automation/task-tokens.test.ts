import { decodeJwt, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'

const JOB_TOKEN = '0123456789abcdef0123456789abcdef01234567'

describeOnBoth('tokens of tasks', (kind) => {
  let server: TestServer
  let [running, ended, now] = [0, 0, Date.now()]
  let ids: { readonly runId: number; readonly jobId: number }

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => now } })
    const ann = await server.world.user('ann')
    const repo = await server.world.repo({ owner: ann, name: 'r' })
    const factory = createActionsFactory(server.app)
    const { run, jobs } = await factory.run(repo.id, { jobs: { a: { status: 'running' }, b: { status: 'success' } } })
    ids = { runId: run.id, jobId: jobs[0]! }
    running = await factory.task(repo.id, jobs[0]!, { status: 'running', token: JOB_TOKEN })
    ended = await factory.task(repo.id, jobs[1]!, { status: 'success', token: 'f'.repeat(40) })
  })
  afterAll(() => server.close())

  const tokens = () => server.app.taskTokens

  it('name the run and the job to actions', async () => {
    const claims = decodeJwt(tokens().issueRuntimeToken({ id: running, ...ids }))
    expect(claims).toMatchObject({
      scp: `Actions.Results:${ids.runId}:${ids.jobId}`,
      TaskID: running,
      RunID: ids.runId,
      JobID: ids.jobId,
    })
    expect(claims.exp! - claims.nbf!).toBe(4 * 3600)
  })

  it('are valid only while their task runs', async () => {
    expect((await tokens().findTask(tokens().issueRuntimeToken({ id: running, ...ids })))?.id).toBe(running)
    expect((await tokens().findTask(JOB_TOKEN))?.id).toBe(running)
    expect(await tokens().findTask(tokens().issueRuntimeToken({ id: ended, ...ids }))).toBeUndefined()
    expect(await tokens().findTask('f'.repeat(40))).toBeUndefined()
  })

  it('are valid on a node whose clock is some seconds behind that of the node that issued them', async () => {
    const token = tokens().issueRuntimeToken({ id: running, ...ids })
    now -= 20_000
    expect((await tokens().findTask(token))?.id).toBe(running)
    now -= 600_000
    expect(await tokens().findTask(token)).toBeUndefined()
    now += 620_000
  })

  it('are refused with the signature of another key or without one', async () => {
    const forged = (alg: string) => new SignJWT({ TaskID: running }).setProtectedHeader({ alg })
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
      JSON.stringify({ TaskID: running }),
    ).toString('base64url')}.`
    const wrong = [await forged('HS256').sign(new Uint8Array(32)), unsigned, '', 'x.y.z', '0'.repeat(40)]
    for (const token of wrong) expect(await tokens().findTask(token), token).toBeUndefined()
  })
})
