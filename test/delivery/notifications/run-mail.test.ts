import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Result } from '../../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { createActionsFactory } from '../../harness/actions.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { type MailReceiver, startMailReceiver } from '../../harness/mail-server.ts'
import { registerRunner, rpc, type TestRunner } from '../../harness/runner.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

describeOnBoth('mail about failed runs', (on) => {
  let receiver: MailReceiver
  let server: TestServer
  let [ann, bob] = [] as unknown as [Person, Person]
  let runner: TestRunner
  let repoId: number

  beforeAll(async () => {
    receiver = await startMailReceiver()
    const settings = {
      'mailer.enabled': 'true',
      'mailer.protocol': 'smtp',
      'mailer.host': '127.0.0.1',
      'mailer.port': String(receiver.port),
      'mailer.from': 'Ingot <git@example.test>',
    }
    server = await startServer({ on, settings })
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    repoId = (await server.world.repo({ owner: ann, name: 'vault', isPrivate: true })).id
    await ann.client.put('/repos/ann/vault/collaborators/bob', { permission: 'write' })
    const { token } = (await ann.client.get('/repos/ann/vault/actions/runners/registration-token')).json
    runner = await registerRunner(server.url, token)
  })
  afterAll(async () => {
    await server.close()
    await receiver.close()
  })
  afterEach(() => {
    receiver.mails.length = 0
  })

  /** Runs the jobs of a run of the person; those with these keys fail. Returns the id of the run. */
  async function runOf(by: Person, keys: readonly string[], failing: readonly string[]): Promise<number> {
    const { run } = await createActionsFactory(server.app).run(repoId as never, {
      title: 'Grüße <b>',
      actorId: by.user.id,
      jobs: Object.fromEntries(keys.map((key) => [key, { labels: ['host'], status: 'waiting' as const }])),
    })
    await finish(keys, failing)
    return run.id
  }
  async function finish(keys: readonly string[], failing: readonly string[]): Promise<void> {
    for (const key of keys) {
      const { task } = await runner.call(rpc.fetchTask, {})
      const result = failing.includes(key) ? Result.FAILURE : Result.SUCCESS
      await runner.call(rpc.updateTask, { state: { id: task!.id, result } })
    }
  }

  it('goes to who has started the run, with the names of the failed jobs', async () => {
    const id = await runOf(bob, ['build', 'lint', 'test'], ['build', 'test'])
    await server.drain()
    expect(receiver.mails.map(({ to }) => to)).toEqual(['bob@example.test'])
    const [mail] = receiver.mails
    expect(mail!.headers).toMatchObject({
      subject: '[ann/vault] Failed: Grüße <b>',
      'message-id': `<run/${id}@127.0.0.1>`,
      'auto-submitted': 'auto-generated',
    })
    expect(mail!.text).toContain('build, test')
    expect(mail!.text).not.toContain('lint')
    expect(mail!.text).toContain(`${server.url}/ann/vault/actions/runs/${id}`)
  })

  it('goes to who has rerun it', async () => {
    const id = await runOf(bob, ['build'], ['build'])
    await server.drain()
    expect((await ann.client.post(`/repos/ann/vault/actions/runs/${id}/rerun`)).status).toBe(201)
    await finish(['build'], ['build'])
    await server.drain()
    expect(receiver.mails.map(({ to }) => to)).toEqual(['bob@example.test', 'ann@example.test'])
    expect(receiver.mails[1]!.headers).toMatchObject({ references: `<run/${id}@127.0.0.1>` })
  })

  it('is not sent about runs that succeed or were cancelled, nor to who does not want it', async () => {
    await runOf(bob, ['build'], [])
    const { run } = await createActionsFactory(server.app).run(repoId as never, {
      actorId: bob.user.id,
      jobs: { build: { status: 'blocked' } },
    })
    expect((await ann.client.post(`/repos/ann/vault/actions/runs/${run.id}/cancel`)).status).toBe(204)
    for (const email_notifications of ['onmention', 'disabled']) {
      await bob.client.patch('/user/settings', { email_notifications })
      await runOf(bob, ['build'], ['build'])
      await server.drain()
    }
    await bob.client.patch('/user/settings', { email_notifications: 'enabled' })
    expect(receiver.mails).toEqual([])
  })

  it('is not sent to a user who has lost access to the repository', async () => {
    expect((await ann.client.delete('/repos/ann/vault/collaborators/bob')).status).toBe(204)
    await runOf(bob, ['build'], ['build'])
    await server.drain()
    expect(receiver.mails).toEqual([])
    await runOf(ann, ['build'], ['build'])
    await server.drain()
    expect(receiver.mails.map(({ to }) => to)).toEqual(['ann@example.test'])
  })
})
