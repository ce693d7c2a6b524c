import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { oracle } from '../../core/git/fixture.ts'
import { describeOnBoth, makePlace, type ServerPlace } from '../../harness/databases.ts'
import { startIngot } from '../../harness/process.ts'
import { newPull, PULLS, pullWorld } from './merge-world.ts'

describeOnBoth('a merge that a crash interrupted', (kind) => {
  const world = pullWorld({ on: kind })

  /** Writes what a killed process leaves: the intent, and the moved ref if it got that far. */
  async function interrupt(
    number: number,
    head: string,
    {
      hasMoved,
      server = '',
      at = Date.now() - 600_000,
    }: { readonly hasMoved: boolean; readonly server?: string; readonly at?: number },
  ): Promise<string> {
    const { database, git } = world.server.app
    const pull = await database.read
      .selectFrom('pull')
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .innerJoin('repo', 'repo.id', 'pull.base_repo_id')
      .select(['pull.id', 'repo.id as repo', 'repo.storage'])
      .where('issue.number', '=', number)
      .where('repo.name', '=', 'app')
      .executeTakeFirstOrThrow()
    const path = git.path(pull.storage)
    const oid = oracle(path, ['commit-tree', `${head}^{tree}`, '-p', 'main', '-p', head, '-m', 'merged'])
    await database.transaction((tx) =>
      tx
        .insertInto('merge_intent')
        .values({
          pull_id: pull.id,
          repo_id: pull.repo,
          base_branch: 'main',
          oid,
          style: 'merge',
          actor_id: world.wes.user.id,
          deletes_branch: 1,
          server,
          created_at: at,
        })
        .execute(),
    )
    if (hasMoved) oracle(path, ['update-ref', 'refs/heads/main', oid])
    return oid
  }

  async function restart(): Promise<void> {
    const { database, jobs } = world.server.app
    await database.transaction((tx) => jobs.enqueue(tx, 'repos.reconcile', {}, { key: 'all' }))
    await world.server.drain()
  }

  it('is completed when the ref has moved', async () => {
    const pull = await newPull(world.wes, 'moved')
    const oid = await interrupt(pull.number, pull.head.sha, { hasMoved: true })
    await restart()
    expect((await world.ann.client.get(`${PULLS}/${pull.number}`)).json).toMatchObject({
      merged: true,
      state: 'closed',
      merge_commit_sha: oid,
      merged_by: { login: 'wes' },
    })
    expect((await world.ann.client.get('/repos/ann/app/branches/main')).json.commit.id).toBe(oid)
    expect((await world.ann.client.get('/repos/ann/app/branches/moved')).status).toBe(404)
  })

  it('is discarded when the ref has not moved, and the pull request can be merged again', async () => {
    const pull = await newPull(world.wes, 'unmoved')
    await interrupt(pull.number, pull.head.sha, { hasMoved: false })
    expect((await world.ann.client.get(`${PULLS}/${pull.number}`)).json.merged).toBe(false)
    await restart()
    expect((await world.ann.client.get(`${PULLS}/${pull.number}`)).json).toMatchObject({ merged: false, state: 'open' })
    const again = await newPull(world.wes, 'unmoved2')
    await interrupt(again.number, again.head.sha, { hasMoved: false })
    const answer = await world.wes.client.post(`${PULLS}/${again.number}/merge`, { Do: 'merge' })
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
  })

  it('is resumed as soon as its process has ended, and later when another server may be running it', async () => {
    const { database, jobs, processes } = world.server.app
    const mine = { server: String(processes.startedAt), at: Date.now() }
    const unmoved = await newPull(world.wes, 'mine')
    await interrupt(unmoved.number, unmoved.head.sha, { hasMoved: false, ...mine })
    expect((await world.wes.client.post(`${PULLS}/${unmoved.number}/merge`, { Do: 'merge' })).status).toBe(200)
    const settle = async (pull: { id: number; base: { repo_id: number } }, oid: string): Promise<void> => {
      const payload = { pull_id: pull.id, repo_id: pull.base.repo_id, oid }
      await database.transaction((tx) => jobs.enqueue(tx, 'merges.recover', payload, { key: oid }))
      await world.server.drain()
    }
    const moved = await newPull(world.wes, 'mine-moved')
    await settle(moved, await interrupt(moved.number, moved.head.sha, { hasMoved: true, ...mine }))
    expect((await world.wes.client.get(`${PULLS}/${moved.number}/merge`)).status).toBe(204)
    const other = await newPull(world.wes, 'other')
    await settle(other, await interrupt(other.number, other.head.sha, { hasMoved: false, ...mine, server: 'other' }))
    const answer = await world.wes.client.post(`${PULLS}/${other.number}/merge`, { Do: 'merge' })
    expect([answer.status, answer.json.message]).toEqual([409, 'the pull request is being merged'])
  })

  it.each([{ delete_branch_after_merge: false }, { delete_branch_after_merge: true }])(
    'is resumed by jobs within seconds, which its steps delete: %j',
    async (options) => {
      const { database, jobs } = world.server.app
      const waiting = async (pullId: number): Promise<unknown[]> => {
        const rows = await database.read
          .selectFrom('job')
          .selectAll()
          .where('kind', 'like', 'merges.%')
          .orderBy('kind')
          .execute()
        const own = rows.filter(({ payload }) => JSON.parse(payload).pull_id === pullId)
        return own.map(({ kind: name, run_at, created_at }) => [name, run_at - created_at])
      }
      const names = ['plain', 'ends'].map((name) => `${name}-${options.delete_branch_after_merge}`)
      const [plain, ends] = [await newPull(world.wes, names[0]!), await newPull(world.wes, names[1]!)]
      const merge = (number: number) => world.wes.client.post(`${PULLS}/${number}/merge`, { Do: 'merge', ...options })
      expect((await merge(plain.number)).status).toBe(200)
      expect(await waiting(plain.id)).toEqual([])
      const cancel = vi.spyOn(jobs, 'cancel').mockResolvedValue()
      expect((await merge(ends.number)).status).toBe(200)
      cancel.mockRestore()
      expect(await waiting(ends.id)).toEqual([
        ['merges.follow_up', 3000],
        ['merges.recover', 3000],
      ])
    },
  )
})

const PULL_COUNT = 8

describeOnBoth('a server that is killed while it merges', (kind) => {
  let place: ServerPlace
  beforeAll(async () => {
    place = await makePlace(kind)
  })
  afterAll(() => place.remove())

  it('has merged each pull request completely or not at all after a restart', { timeout: 240_000 }, async () => {
    const { dataDir, settings } = place
    const first = await startIngot(dataDir, settings)
    const authorization = `Basic ${Buffer.from(`admin:${first.password}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const call = async (url: string, method: string, path: string, body?: object) => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, json: answer.status === 204 ? {} : ((await answer.json()) as never) } as {
        status: number
        json: { title: string; merged: boolean; merge_commit_sha: string; commit: { id: string }; sha: string }
      }
    }
    await call(first.url, 'POST', '/user/repos', { name: 'r', auto_init: true, default_branch: 'main' })
    const indexes = Array.from({ length: PULL_COUNT }, (_, index) => index + 1)
    await Promise.all(
      indexes.map(async (index) => {
        const file = { content: '', message: `f${index}`, branch: 'main', new_branch: `b${index}` }
        expect((await call(first.url, 'POST', `/repos/admin/r/contents/f${index}`, file)).status).toBe(201)
        const pull = { head: `b${index}`, base: 'main', title: `b${index}` }
        expect((await call(first.url, 'POST', '/repos/admin/r/pulls', pull)).status).toBe(201)
      }),
    )
    const merging = indexes.map((index) =>
      call(first.url, 'POST', `/repos/admin/r/pulls/${index}/merge`, { Do: 'merge' }).catch(() => ({
        status: 0,
        json: { sha: '' },
      })),
    )
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400))
    await first.stop('SIGKILL')
    const acknowledged = (await Promise.all(merging)).filter(({ status }) => status === 200).map(({ json }) => json.sha)
    const running = await startIngot(dataDir, settings)
    const { url } = running
    await expect
      .poll(
        async () => {
          const shown = await call(url, 'GET', '/repos/admin/r/branches/main')
          const commits = await fetch(
            `${url}/api/v1/repos/admin/r/commits?sha=${shown.json.commit.id}&limit=50&stat=false`,
          )
          const history = new Set(((await commits.json()) as { sha: string }[]).map(({ sha }) => sha))
          const wrong: (number | string)[] = acknowledged.filter((sha) => !history.has(sha))
          for (const number of indexes) {
            const pull = (await call(url, 'GET', `/repos/admin/r/pulls/${number}`)).json
            const isThere =
              (await call(url, 'GET', `/repos/admin/r/contents/f${pull.title.slice(1)}?ref=main`)).status === 200
            if (pull.merged !== isThere || (pull.merged && !history.has(pull.merge_commit_sha))) wrong.push(number)
          }
          return wrong
        },
        { timeout: 60_000, interval: 200 },
      )
      .toEqual([])
    expect(await running.stop()).toBe(0)
  })
})
