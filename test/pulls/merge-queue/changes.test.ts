import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { PASSWORD } from '../../harness/world.ts'
import { oracle } from '../../core/git/fixture.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'
import { createMessages } from '../../delivery/hooks/messages.ts'
import { merge, PULLS, queueWorld, repoPath } from './queue-world.ts'

describeOnBoth('the queue of a branch', (kind) => {
  const world = queueWorld({ on: kind })

  it('publishes the commit under test to readers and webhooks, by a ref that rejects pushes', async () => {
    const messages = createMessages(world.server)
    const [number] = await world.queued('wire')
    const [{ batch }] = await world.entries()
    const { payload, ...names } = (await messages.take()).findLast(({ eventType }) => eventType === 'push')!
    expect(names).toEqual({ event: 'push', eventType: 'push', branch: batch.ref })
    expect(payload).toMatchObject({ ref: batch.ref, before: batch.base_sha, after: batch.sha })
    expect(payload.head_commit).toMatchObject({ id: batch.sha, message: expect.stringContaining(`(#${number})`) })
    const folder = tempDir()
    try {
      const remote = `${world.server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/app.git`
      await git(folder.path, ['init', '-q', '.'])
      await git(folder.path, ['fetch', '-q', `${world.server.url}/ann/app.git`, batch.ref])
      expect((await git(folder.path, ['rev-parse', 'FETCH_HEAD'])).trim()).toBe(batch.sha)
      for (const ref of [batch.ref, 'refs/queue/main/9'])
        await expect(git(folder.path, ['push', '-q', '-f', remote, `FETCH_HEAD^:${ref}`])).rejects.toThrow(
          /hook declined|hidden|deny/,
        )
    } finally {
      folder.remove()
    }
    expect((await world.entries())[0].batch.sha).toBe(batch.sha)
  })

  it('is rebuilt without deleted and otherwise merged pull requests, and survives a rename of its branch', async () => {
    const [direct, deleted, stays] = await world.queued('direct', 'deleted', 'stays')
    const tested = (await world.entries()).map((entry) => entry.pull_request.number)
    expect(tested.slice(1)).toEqual([direct, deleted, stays])
    for (const number of [tested[0], direct]) {
      const { head } = await world.shown(number)
      await world.reportFor(head.sha, 'success')
      expect((await merge(world.ann, number)).status).toBe(200)
    }
    expect((await world.states()).map(([number]) => number)).toEqual([deleted, stays])
    const before = (await world.entries())[0].batch
    expect((await world.ann.client.delete(`/repos/ann/app/issues/${deleted}`)).status).toBe(204)
    const [left] = await world.entries()
    expect([left.pull_request.number, left.batch.sha]).toEqual([stays, left.merge_commit_sha])
    expect(left.batch.id).not.toBe(before.id)
    expect((await world.ann.client.patch('/repos/ann/app/branches/main', { name: 'trunk' })).status).toBe(204)
    await world.server.drain()
    const [renamed] = (await world.ann.client.get('/repos/ann/app/branches/trunk/queue')).json
    expect(renamed).toMatchObject({ pull_request: { number: stays }, state: 'testing' })
    const { ref, sha } = renamed.batch
    expect(ref).toBe(`refs/queue/trunk/${renamed.batch.id}`)
    const refs = oracle(await repoPath(world.server), [
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      'refs/queue',
    ])
    expect(refs.trim()).toBe(`${ref} ${sha}`)
    await world.reportFor(sha, 'success')
    await world.server.drain()
    expect((await world.shown(stays!)).merged).toBe(true)
    expect((await world.ann.client.get(`${PULLS}/${stays}/queue`)).status).toBe(404)
  })
})
