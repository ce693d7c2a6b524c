import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const job = (on: string, more = ''): string => `on: ${on}\n${more}jobs: { a: { runs-on: x, steps: [{ run: make }] } }\n`

describeOnBoth('events of a repository', (kind) => {
  let server: TestServer
  let [ann, bob] = [] as unknown as [Person, Person]
  let count = 0

  /** A repository with these workflows, which are committed together with each other on main. */
  async function repoWith(files: Readonly<Record<string, string>>): Promise<string> {
    const name = `r${++count}`
    await server.world.repo({ owner: ann, name, autoInit: true })
    const changes = Object.entries(files).map(([file, text]) => ({
      operation: 'create',
      path: `.gitea/workflows/${file}`,
      content: Buffer.from(text).toString('base64'),
    }))
    const answer = await ann.client.post(`/repos/ann/${name}/contents`, {
      files: changes,
      message: 'Add workflows [skip ci]',
      branch: 'main',
    })
    expect(answer.status).toBe(201)
    await server.drain()
    return `/repos/ann/${name}`
  }

  const write = async (repo: string, path: string, more: object = {}, who = ann): Promise<void> => {
    const content = Buffer.from(path + count++).toString('base64')
    const answer = await who.client.post(`${repo}/contents/${path}`, { content, message: `Add ${path}`, ...more })
    expect(answer.status).toBe(201)
    await server.drain()
  }

  /** Workflow, event and ref of the runs, the oldest first. */
  async function runsOf(repo: string): Promise<string[]> {
    await server.drain()
    const { workflow_runs: runs } = (await ann.client.get(`${repo}/actions/runs?limit=50`)).json
    return runs.map(({ path, event }: Any) => `${path} ${event}`).toReversed()
  }

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
  }, 60_000)
  afterAll(() => server.close())

  it('start workflows by pushes that pass the filters of branches, tags and paths', async () => {
    const repo = await repoWith({
      'all.yml': job('push'),
      'main.yml': job('{ push: { branches: [main, "release/**", "!release/old"] } }'),
      'docs.yml': job('{ push: { paths: ["docs/**", "!docs/*.txt"] } }'),
      'code.yml': job('{ push: { paths-ignore: ["docs/**"] } }'),
      'tags.yml': job('{ push: { tags: ["v[0-9]+"] } }'),
      'either.yml': job('{ push: { tags: ["v*"], branches-ignore: ["**"] } }'),
      'other.yml': job('[issues, workflow_dispatch]'),
    })
    expect(await runsOf(repo)).toEqual([])
    await write(repo, 'docs/a.md')
    expect(await runsOf(repo)).toEqual(['all', 'docs', 'main'].map((name) => `${name}.yml@refs/heads/main push`))
    await write(repo, 'docs/a.txt', { new_branch: 'release/old' })
    expect((await runsOf(repo)).slice(3)).toEqual(['all.yml@refs/heads/release/old push'])
    await write(repo, 'src/a.c', { new_branch: 'release/new' })
    expect((await runsOf(repo)).slice(4)).toEqual(
      ['all', 'code', 'main'].map((name) => `${name}.yml@refs/heads/release/new push`),
    )
    for (const tag of ['v12', 'vx']) {
      await ann.client.post(`${repo}/tags`, { tag_name: tag, message: 'x' })
      await server.drain()
    }
    expect((await runsOf(repo)).slice(7)).toEqual([
      ...['all', 'code', 'docs', 'either', 'tags'].map((name) => `${name}.yml@refs/tags/v12 push`),
      ...['all', 'code', 'docs', 'either'].map((name) => `${name}.yml@refs/tags/vx push`),
    ])
    const run = (await ann.client.get(`${repo}/actions/runs`)).json.workflow_runs[0]
    expect(run.head_sha).toBe((await ann.client.get(`${repo}/branches/main`)).json.commit.id)
    await ann.client.delete(`${repo}/branches/release/old`)
    expect(await runsOf(repo)).toHaveLength(16)
  })

  it('cost no git process when a repository without workflows gets a push', async () => {
    const started: ChildProcess[] = []
    const note = (message: unknown): void => void started.push((message as { readonly process: ChildProcess }).process)
    const differences = () => started.filter(({ spawnargs }) => spawnargs.includes('diff-tree'))
    subscribe('child_process', note)
    try {
      const without = await repoWith({ 'readme.txt': 'no workflow' })
      await write(without, 'a')
      expect(differences()).toEqual([])
      const { id } = (await ann.client.get(without)).json
      expect(await rows(server, 'action_repo', { repo_id: id })).toEqual([])
      await write(await repoWith({ 'a.yml': job('push') }), 'a')
      expect(differences()).not.toEqual([])
    } finally {
      unsubscribe('child_process', note)
    }
  })

  it('of issues start workflows in forks and generated repositories that got no push', async () => {
    const repo = await repoWith({ 'issues.yml': job('issues') })
    await ann.client.patch(repo, { template: true })
    const made = [
      await bob.client.post(`${repo}/forks`, { name: 'forked' }),
      await bob.client.post(`${repo}/generate`, { owner: 'bob', name: 'generated', git_content: true }),
    ]
    expect(made.map(({ status }) => status)).toEqual([202, 201])
    await server.drain()
    for (const name of ['forked', 'generated']) {
      await bob.client.patch(`/repos/bob/${name}`, { has_issues: true, has_actions: true })
      expect((await bob.client.post(`/repos/bob/${name}/issues`, { title: 'One' })).status).toBe(201)
      await server.drain()
      const { workflow_runs: runs } = (await bob.client.get(`/repos/bob/${name}/actions/runs`)).json
      expect(runs.map(({ path }: Any) => path)).toEqual(['issues.yml@refs/heads/main'])
    }
  })

  it('of issues start workflows of the first push right before them', async () => {
    const repo = `/repos/ann/r${++count}`
    await server.world.repo({ owner: ann, name: `r${count}`, autoInit: true })
    await server.drain()
    const content = Buffer.from(job('issues')).toString('base64')
    await ann.client.post(`${repo}/contents/.gitea/workflows/a.yml`, { content, message: 'Add' })
    await ann.client.post(`${repo}/issues`, { title: 'One' })
    expect(await runsOf(repo)).toEqual(['a.yml@refs/heads/main issues'])
  })

  it('of issues are skipped in repositories without workflows', async () => {
    const repo = `/repos/ann/r${++count}`
    await server.world.repo({ owner: ann, name: `r${count}`, autoInit: true })
    await server.drain()
    const enqueue = vi.spyOn(server.app.jobs, 'enqueue')
    try {
      expect((await ann.client.post(`${repo}/issues`, { title: 'One' })).status).toBe(201)
      await server.drain()
      expect(enqueue.mock.calls.filter(([, name]) => name === 'actions.start')).toEqual([])
    } finally {
      enqueue.mockRestore()
    }
  })

  it('start the same runs once, however often they are delivered', async () => {
    const repo = await repoWith({ 'a.yml': job('push'), 'b.yml': job('push') })
    await write(repo, 'a')
    expect(await runsOf(repo)).toHaveLength(2)
    const [event] = (await rows(server, 'event', { kind: 'repo.pushed' })).slice(-1)
    const payload = { event_id: event!.id, repo_id: event!.repo_id, kind: 'repo.pushed' }
    const again = (...keys: string[]): Promise<void> =>
      server.app.database.transaction(async (tx) => {
        for (const key of keys) await server.app.jobs.enqueue(tx, 'actions.start', payload, { key })
      })
    await again('again', 'and again')
    expect(await runsOf(repo)).toHaveLength(2)
    // As if the process had ended after it had started the first one.
    await server.app.database.transaction((tx) =>
      tx.deleteFrom('action_run').where('repo_id', '=', event!.repo_id).where('workflow', '=', 'b.yml').execute(),
    )
    await again('after a crash')
    expect(await runsOf(repo)).toEqual(['a.yml@refs/heads/main push', 'b.yml@refs/heads/main push'])
  })

  it('of issues, comments, releases, branches and forks start workflows of their types', async () => {
    const repo = await repoWith({
      'issues.yml': job('{ issues: { types: [opened, "*labeled"] } }'),
      'comment.yml': job('issue_comment'),
      'release.yml': job('release'),
      'refs.yml': job('[create, delete]'),
      'fork.yml': job('fork'),
    })
    await ann.client.post(`${repo}/issues`, { title: 'One' })
    const { json: label } = await ann.client.post(`${repo}/labels`, { name: 'bug', color: '#ff0000' })
    await ann.client.post(`${repo}/issues/1/labels`, { labels: [label.id] })
    await ann.client.patch(`${repo}/issues/1`, { state: 'closed' })
    await ann.client.post(`${repo}/issues/1/comments`, { body: 'x' })
    await ann.client.post(`${repo}/releases`, { tag_name: 'v1', name: 'v1' })
    await ann.client.post(`${repo}/branches`, { new_branch_name: 'dev', old_branch_name: 'main' })
    await ann.client.delete(`${repo}/branches/dev`)
    await bob.client.post(`${repo}/forks`, {})
    expect((await runsOf(repo)).toSorted()).toEqual([
      'comment.yml@refs/heads/main issue_comment',
      'fork.yml@refs/heads/main fork',
      'issues.yml@refs/heads/main issues',
      'issues.yml@refs/heads/main issues',
      'refs.yml@refs/heads/dev create',
      'refs.yml@refs/heads/main delete',
      'refs.yml@refs/tags/v1 create',
      'release.yml@refs/tags/v1 release',
    ])
    const run = (await rows(server, 'action_run', { workflow: 'comment.yml' }))[0]!
    expect(JSON.parse(run.payload)).toMatchObject({ action: 'created', comment: { body: 'x' }, is_pull: false })
  })

  it('of pull requests run the head, the base for pull_request_target, and await approval for first-time contributors', async () => {
    const repo = await repoWith({
      'pr.yml': job('pull_request'),
      'target.yml': job('{ pull_request_target: { branches: [main], types: [opened, closed] } }'),
      'docs.yml': job('{ pull_request: { paths: [docs/*] } }'),
      'review.yml': job('pull_request_review'),
    })
    await write(repo, 'docs/x', { new_branch: 'work' })
    await ann.client.post(`${repo}/pulls`, { title: 'Work', head: 'work', base: 'main' })
    await write(repo, 'more', { branch: 'work' })
    await bob.client.post(`${repo}/pulls/1/reviews`, { event: 'APPROVED', body: 'ok' })
    expect(await runsOf(repo)).toEqual([
      'docs.yml@refs/pull/1/head pull_request',
      'pr.yml@refs/pull/1/head pull_request',
      'target.yml@refs/heads/main pull_request_target',
      'docs.yml@refs/pull/1/head pull_request',
      'pr.yml@refs/pull/1/head pull_request',
      'review.yml@refs/pull/1/head pull_request_review',
    ])
    expect((await ann.client.get(`${repo}/actions/runs?status=waiting`)).json.total_count).toBe(0)
    const [ofPull] = (await ann.client.get(`${repo}/actions/runs?event=pull_request`)).json.workflow_runs
    const pull = (await ann.client.get(`${repo}/pulls/1`)).json
    expect(ofPull.pull_requests).toEqual([
      {
        id: pull.id,
        number: 1,
        url: `${server.url}/api/v1${repo}/pulls/1`,
        head: {
          ref: 'work',
          sha: pull.head.sha,
          repo: { id: pull.head.repo.id, name: pull.head.repo.name, url: pull.head.repo.url },
        },
        base: expect.objectContaining({ ref: 'main', repo: expect.objectContaining({ id: pull.base.repo.id }) }),
      },
    ])
    const [short] = (await ann.client.get(`${repo}/actions/runs?exclude_pull_requests=true`)).json.workflow_runs
    expect(short.pull_requests).toEqual([])

    const fork = `bob-${count}`
    await bob.client.post(`${repo}/forks`, { name: fork })
    await server.drain()
    await write(`/repos/bob/${fork}`, 'evil', { new_branch: 'evil' }, bob)
    await bob.client.post(`${repo}/pulls`, { title: 'Evil [skip ci]', head: 'bob:evil', base: 'main' })
    expect((await runsOf(repo)).slice(6)).toEqual(['target.yml@refs/heads/main pull_request_target'])
    await ann.client.patch(`${repo}/pulls/2`, { title: 'Evil' })
    await bob.client.patch(`${repo}/pulls/2`, { state: 'closed' })
    await bob.client.patch(`${repo}/pulls/2`, { state: 'open' })
    expect((await runsOf(repo)).slice(7)).toEqual([
      'target.yml@refs/heads/main pull_request_target',
      'pr.yml@refs/pull/2/head pull_request',
    ])
    const held = await rows(server, 'action_run', { ref: 'refs/pull/2/head' })
    expect(held.map((run) => [run.is_from_fork, run.needs_approval, run.status])).toEqual([[1, 1, 'blocked']])
  })

  it('plan matrices, names, labels and run names', async () => {
    const text = `name: CI
run-name: "\${{ github.actor }} on \${{ github.ref_name }} in \${{ github.run_id }}"
on: push
permissions: { contents: read }
jobs:
  test:
    name: Test
    runs-on: "\${{ matrix.os }}"
    strategy:
      fail-fast: false
      matrix: { os: [b, a], v: [1, 2], exclude: [{ os: b, v: 2 }], include: [{ os: a, v: 1, extra: x }, { os: c }] }
    steps: [{ run: "make\\nall" }, { uses: actions/checkout@v4 }, { name: Last, run: x }]
  deploy:
    name: "Deploy \${{ github.event.head_commit.message }}"
    needs: test
    runs-on: [self-hosted, "\${{ vars.POOL || 'none' }}"]
    steps: [{ run: "echo \${{ secrets.A }}" }]
`
    const repo = await repoWith({ 'ci.yml': text })
    await ann.client.post(`${repo}/actions/variables/POOL`, { value: 'big' })
    await write(repo, 'x')
    const run = (await ann.client.get(`${repo}/actions/runs`)).json.workflow_runs[0]
    expect(run.display_title).toBe(`ann on main in ${run.id}`)
    const jobs = await rows(server, 'action_job', { run_id: run.id })
    expect(jobs.map(({ name, labels, status }) => [name, JSON.parse(labels), status])).toEqual([
      ['Test (a, 2)', ['a'], 'waiting'],
      ['Test (b, 1)', ['b'], 'waiting'],
      ['Test (c)', ['c'], 'waiting'],
      ['Test (x, a, 1)', ['a'], 'waiting'],
      ['Deploy Add x', ['self-hosted', 'big'], 'blocked'],
    ])
    const [first, , , , deploy] = jobs
    expect(JSON.parse(first!.steps)).toEqual(['Run make', 'Run actions/checkout@v4', 'Last'])
    expect([first!.permissions, first!.attempt]).toEqual(['{"contents":"read"}', 0])
    expect(first!.payload).toMatch(/strategy:\n +fail-fast: false\n +matrix:\n +os:\n +- a\n +v:\n +- 2\n/)
    expect(deploy!.payload).toContain('echo ${{ secrets.A }}')
  })

  it('of the clock start the schedules of the default branch, each time once', async () => {
    const repo = await repoWith({
      'nightly.yml': job('{ schedule: [{ cron: "TZ=Europe/Berlin 30 2 * * *" }, { cron: "@daily" }], push: {} }'),
      'never.yml': job('{ schedule: [{ cron: "0 0 31 2 *" }] }'),
    })
    const { id } = (await ann.client.get(repo)).json
    const schedules = async (): Promise<Any[]> => rows(server, 'action_schedule', { repo_id: id })
    const due = async (at = 60_000): Promise<string[]> => {
      await server.app.database.transaction((tx) =>
        tx.updateTable('action_schedule').set({ next_at: at }).where('repo_id', '=', id).execute(),
      )
      await server.app.schedule.run('start_scheduled_workflows')
      return runsOf(repo)
    }
    expect((await schedules()).map(({ cron }) => cron)).toEqual(['TZ=Europe/Berlin 30 2 * * *', '@daily'])
    const once = Array.from({ length: 2 }, () => 'nightly.yml@refs/heads/main schedule')
    expect(await due()).toEqual(once)
    for (const { next_at: next } of await schedules()) expect(next).toBeGreaterThan(Date.now())
    expect(await due()).toEqual(once)
    const [row] = await rows(server, 'action_run', { repo_id: id })
    expect([row!.actor_id, JSON.parse(row!.payload)]).toMatchObject([
      -2,
      {
        schedule: 'TZ=Europe/Berlin 30 2 * * *',
        workflow: '.gitea/workflows/nightly.yml',
        ref: 'refs/heads/main',
        after: row!.oid,
        head_commit: { id: row!.oid, added: expect.arrayContaining(['.gitea/workflows/nightly.yml']) },
        commits: [{ message: 'Add workflows [skip ci]\n' }],
        pusher: { login: 'ann' },
        sender: { login: 'ann' },
        repository: { full_name: repo.slice('/repos/'.length) },
      },
    ])

    const before = await schedules()
    await write(repo, 'unrelated')
    expect((await schedules()).map((one) => one.id)).toEqual(before.map((one) => one.id))
    await due(120_000)
    const latest = (await rows(server, 'action_run', { repo_id: id })).at(-1)!
    expect(JSON.parse(latest.payload)).toMatchObject({ after: latest.oid, head_commit: { message: 'Add unrelated\n' } })
    const { sha } = (await ann.client.get(`${repo}/contents/.gitea/workflows/nightly.yml`)).json
    await ann.client.delete(`${repo}/contents/.gitea/workflows/nightly.yml`, { sha, message: 'Stop' })
    await server.drain()
    expect(await schedules()).toEqual([])
    const { workflow_runs: runs } = (await ann.client.get(`${repo}/actions/runs?event=schedule`)).json
    expect(runs.map((run: Any) => [run.conclusion, run.actor.login])).toEqual(
      Array.from({ length: 4 }, () => ['cancelled', 'gitea-actions']),
    )
  })

  it('of the clock start schedules that are due after many that fail', async () => {
    const workflow = { 'nightly.yml': job('{ schedule: [{ cron: "@daily" }] }') }
    const [broken, repo] = [await repoWith(workflow), await repoWith(workflow)]
    const [brokenId, id] = [(await ann.client.get(broken)).json.id, (await ann.client.get(repo)).json.id]
    const [{ id: _, ...row }] = (await rows(server, 'action_schedule', { repo_id: brokenId })) as [Any]
    await server.app.database.transaction(async (tx) => {
      await tx
        .insertInto('action_schedule')
        .values(Array.from({ length: 60 }, () => ({ ...row, next_at: 1000, push: '{}' })))
        .execute()
      await tx.updateTable('action_schedule').set({ next_at: 2000 }).where('repo_id', '=', id).execute()
    })
    await server.app.schedule.run('start_scheduled_workflows')
    expect(await runsOf(repo)).toEqual(['nightly.yml@refs/heads/main schedule'])
    const failed = await rows(server, 'action_schedule', { repo_id: brokenId, next_at: 1000 })
    expect(failed).toHaveLength(60)
    await server.app.database.transaction((tx) =>
      tx.deleteFrom('action_schedule').where('repo_id', '=', brokenId).execute(),
    )
  })
})
