import { expect, it, vi } from 'vitest'
import type { Any } from '../harness/client.ts'
import { actorOf } from '../../src/core/access/viewer.ts'
import type { Git } from '../../src/core/git/index.ts'
import { KeyedMutex } from '../../src/core/platform/concurrency/lock-table.ts'
import { asId } from '../../src/core/platform/crypto/ids.ts'
import { syncHead } from '../../src/domains/pulls/pulls/lifecycle/move-head.ts'
import { findLocation } from '../../src/domains/pulls/pulls/lifecycle/pull-change.ts'
import { findPull } from '../../src/domains/pulls/pulls/records/pull.store.ts'
import { oracle } from '../core/git/fixture.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

const ROUNDS = 3

describeOnBoth('pull requests that change at once', (kind) => {
  const world = pullWorld({ on: kind })
  const at = (number: number) => `/repos/ann/app/pulls/${number}`
  const shown = async (number: number): Promise<Any> => (await world.eve.client.get(at(number))).json
  const headRef = (number: number): string =>
    oracle(world.server.app.git.path(storage), ['for-each-ref', '--format=%(objectname)', `refs/pull/${number}/head`])
  let storage = ''
  const branch = (name: string, from = 'main') => commitFile(world.wes, { branch: name, from })
  const findStorage = async (): Promise<void> => {
    const { read } = world.server.app.database
    const row = await read.selectFrom('repo').select('storage').where('name', '=', 'app').executeTakeFirstOrThrow()
    storage = row.storage
  }

  it('are retargeted twice: one base, one entry for each change, and a known mergeability', async () => {
    await findStorage()
    for (const base of ['left', 'right']) await branch(base)
    for (let round = 0; round < ROUNDS; round++) {
      await branch(`twice${round}`)
      const { number } = await createPull(world.wes, { head: `twice${round}` })
      const answers = await Promise.all(
        ['left', 'right', 'left'].map((base) => world.wes.client.patch(at(number), { base })),
      )
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
      await world.server.drain()
      const { base, mergeable } = await shown(number)
      expect(mergeable).toBe(true)
      const timeline: Any[] = (await world.eve.client.get(`/repos/ann/app/issues/${number}/timeline`)).json
      const moves = timeline.filter(({ type }) => type === 'change_target_branch')
      expect(moves.at(-1)).toMatchObject({ new_ref: base.ref })
      expect(moves.every(({ old_ref, new_ref }) => old_ref !== new_ref)).toBe(true)
    }
  })

  it('are updated to their head although a push moves the ref at the same time', async () => {
    const { app } = world.server
    await branch('overtaken')
    const { id, number, head } = await createPull(world.wes, { head: 'overtaken' })
    const newOid = oracle(app.git.path(storage), ['commit-tree', `${head.sha}^{tree}`, '-p', head.sha, '-m', 'more'])
    const pull = (await findPull(app.database.read, id))!
    const location = (await findLocation(app, pull))!
    let conflicts = 0
    const git: Git = {
      ...app.git,
      open(repo) {
        const opened = app.git.open(repo)
        const update: typeof opened.refs.update = async (changes, ...rest) => {
          if (conflicts++ === 0)
            oracle(app.git.path(storage), ['update-ref', `refs/pull/${number}/head`, newOid, head.sha])
          return opened.refs.update(changes, ...rest)
        }
        return { ...opened, refs: { ...opened.refs, update } }
      },
    }
    await syncHead(
      { ...app, git, heads: new KeyedMutex() },
      actorOf(asId(world.wes.user.id)),
      location,
      async () => newOid,
    )
    const row = await findPull(app.database.read, id)
    expect([conflicts, headRef(number), row?.headOid]).toEqual([1, newOid, newOid])
  })

  it('are created although their ref is made at the same time', async () => {
    const { git } = world.server.app
    const open = git.open.bind(git)
    await branch('made')
    const made: string[] = []
    const spy = vi.spyOn(git, 'open').mockImplementation((repo) => {
      const opened = open(repo)
      const update: typeof opened.refs.update = (changes) => {
        const [{ ref, new: oid }] = changes as [(typeof changes)[number]]
        if (ref.startsWith('refs/pull/') && made.push(ref) === 1)
          oracle(git.path(storage), ['update-ref', ref, oid, opened.zeroOid])
        return opened.refs.update(changes)
      }
      return { ...opened, refs: { ...opened.refs, update } }
    })
    try {
      const { number, head } = await createPull(world.wes, { head: 'made' })
      expect([made[0], headRef(number)]).toEqual([`refs/pull/${number}/head`, head.sha])
    } finally {
      spy.mockRestore()
    }
  })

  it('become equal by two retargets: one of them is refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await branch(`equal${round}`)
      for (const base of [`one${round}`, `two${round}`, `same${round}`]) await branch(base)
      const [one, two] = [
        await createPull(world.wes, { head: `equal${round}`, base: `one${round}` }),
        await createPull(world.wes, { head: `equal${round}`, base: `two${round}` }),
      ]
      const answers = await Promise.all([
        ...[one, two].map(({ number }) => world.wes.client.patch(at(number), { base: `same${round}` })),
        world.ann.client.post('/repos/ann/app/pulls', { head: `equal${round}`, base: `same${round}`, title: 'Three' }),
      ])
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409])
    }
  })

  it('are retargeted while head and bases are pushed: rows, ref and check agree at the end', async () => {
    await branch('moving')
    for (let round = 0; round < ROUNDS; round++) {
      await branch(`push${round}`)
      const { number } = await createPull(world.wes, { head: `push${round}` })
      const [retargeted, head] = await Promise.all([
        world.wes.client.patch(at(number), { base: 'moving' }),
        commitFile(world.wes, { branch: `push${round}`, path: `head${round}.txt` }),
        commitFile(world.ann, { branch: 'main', path: `main${round}.txt` }).catch(() => ''),
        commitFile(world.bob, { branch: 'main', path: `bob${round}.txt`, repo: 'bob/app' }),
      ])
      await commitFile(world.wes, { branch: 'moving', path: `moving${round}.txt` })
      expect([201, 409]).toContain(retargeted.status)
      await world.server.drain()
      expect(await shown(number)).toMatchObject({ mergeable: true, head: { sha: head } })
      expect(headRef(number)).toBe(head)
      const row = await world.server.app.database.read.selectFrom('pull').selectAll().orderBy('id', 'desc').execute()
      expect(row[0]).toMatchObject({ head_oid: head, checked_head_oid: head })
    }
  })

  it('are created while the base is pushed: the mergeability is known at the end', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await branch(`made${round}`)
      const [made] = await Promise.all([
        world.wes.client.post('/repos/ann/app/pulls', { head: `made${round}`, base: 'main', title: 'Made' }),
        commitFile(world.ann, { branch: 'main', path: `base${round}.txt` }),
      ])
      expect(made.status).toBe(201)
      await world.server.drain()
      expect((await shown(made.json.number)).mergeable).toBe(true)
    }
  })

  it('are created while the head is deleted: closed at the end, or refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await branch(`short${round}`)
      const [made, deleted] = await Promise.all([
        world.wes.client.post('/repos/ann/app/pulls', { head: `short${round}`, base: 'main', title: 'Made' }),
        world.ann.client.delete(`/repos/ann/app/branches/short${round}`),
      ])
      expect(deleted.status).toBe(204)
      expect([201, 404]).toContain(made.status)
      await world.server.drain()
      if (made.status === 201) expect((await shown(made.json.number)).state).toBe('closed')
    }
  })

  it('are closed while the head is pushed: the ref equals the shown head', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await branch(`shut${round}`)
      const { number } = await createPull(world.wes, { head: `shut${round}` })
      await commitFile(world.wes, { branch: `shut${round}`, path: `shut-more${round}.txt` })
      expect((await world.wes.client.patch(at(number), { state: 'closed' })).status).toBe(201)
      await world.server.drain()
      const row = await world.server.app.database.read.selectFrom('pull').selectAll().orderBy('id', 'desc').execute()
      expect(headRef(number)).toBe(row[0]!.head_oid)
    }
  })

  it('are deleted while jobs update the head: no ref remains', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await branch(`drop${round}`)
      const { number } = await createPull(world.wes, { head: `drop${round}` })
      const [, deleted] = await Promise.all([
        commitFile(world.wes, { branch: `drop${round}`, path: `drop-more${round}.txt` }),
        world.ann.client.delete(`/repos/ann/app/issues/${number}`),
        world.server.drain(),
      ])
      expect(deleted.status).toBe(204)
      await world.server.drain()
      expect(headRef(number)).toBe('')
    }
  })

  it('are updated once for a push, however many jobs run for it', async () => {
    await branch('again')
    const { number } = await createPull(world.wes, { head: 'again' })
    const head = await commitFile(world.wes, { branch: 'again', path: 'again2.txt' })
    const { app } = world.server
    const { id, head: shownHead } = await shown(number)
    const job = { repo_id: shownHead.repo_id, branch: 'again', actor_id: 1 }
    await app.database.transaction(async (tx) => {
      for (let i = 0; i < 4; i++) await app.jobs.enqueue(tx, 'pulls.sync_branch', job)
      for (let i = 0; i < 4; i++) await app.jobs.enqueue(tx, 'pulls.refresh', { pull_id: id, actor_id: 1 })
    })
    await world.server.drain()
    const timeline: Any[] = (await world.eve.client.get(`/repos/ann/app/issues/${number}/timeline`)).json
    expect(timeline.filter(({ type }) => type === 'pull_push').map(({ body }) => JSON.parse(body).commit_ids)).toEqual([
      expect.any(Array),
      [head],
    ])
  })
  it('into one branch are updated a few per job, so that jobs of other branches run in between', async () => {
    const { database, jobs } = world.server.app
    await branch('shared')
    await branch('shared-1', 'shared')
    await createPull(world.wes, { head: 'shared-1', base: 'shared' })
    await world.server.drain()
    await database.transaction(async (tx) => {
      const pulls = tx.selectFrom('pull').selectAll().where('base_branch', '=', 'shared')
      const { id: _, ...pull } = await pulls.executeTakeFirstOrThrow()
      const issues = tx.selectFrom('issue').selectAll().where('id', '=', pull.issue_id)
      const { id: __, ...issue } = await issues.executeTakeFirstOrThrow()
      for (let number = 1001; number <= 1030; number++) {
        const { id } = await tx
          .insertInto('issue')
          .values({ ...issue, number })
          .returning('id')
          .executeTakeFirstOrThrow()
        await tx
          .insertInto('pull')
          .values({ ...pull, issue_id: id, head_branch: `copy${number}` })
          .execute()
      }
    })
    const tip = await commitFile(world.wes, { branch: 'shared', path: 'base.txt' })
    const enqueue = vi.spyOn(jobs, 'enqueue')
    await world.server.drain()
    const steps = enqueue.mock.calls.flatMap(([, job, payload]) =>
      job === 'pulls.sync_branch' ? [payload as { branch: string; after_id?: number }] : [],
    )
    enqueue.mockRestore()
    expect(steps).toMatchObject([{ branch: 'shared' }, { branch: 'shared', after_id: expect.any(Number) }])
    const pulls = database.read.selectFrom('pull').select(['checked_base_oid', 'mergeability'])
    const found = await pulls.where('base_branch', '=', 'shared').execute()
    expect(found).toEqual(Array.from({ length: 31 }, () => ({ checked_base_oid: tip, mergeability: 'mergeable' })))
  })
})
