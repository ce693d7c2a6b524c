import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActionsFactory, createFakeRunner } from '../harness/actions.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describeOnBoth('runs', (kind) => {
  let server: TestServer
  let [ann, bob] = [] as unknown as [Person, Person]
  let runner: ReturnType<typeof createFakeRunner>
  let count = 0

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    runner = createFakeRunner(server.app)
  }, 60_000)
  afterAll(() => server.close())

  async function repoWith(text: string): Promise<string> {
    const name = `s${++count}`
    await server.world.repo({ owner: ann, name, autoInit: true })
    await write(`/repos/ann/${name}`, '.gitea/workflows/ci.yml', text, 'Add CI [skip ci]')
    return `/repos/ann/${name}`
  }

  async function write(repo: string, path: string, text = `${++count}`, message = `Add ${path}`): Promise<void> {
    const content = Buffer.from(text).toString('base64')
    expect((await ann.client.post(`${repo}/contents/${path}`, { content, message })).status).toBe(201)
    await server.drain()
  }

  const push = async (repo: string): Promise<number> => {
    await write(repo, `f${++count}`)
    return (await ann.client.get(`${repo}/actions/runs`)).json.workflow_runs[0].id
  }
  const jobsOf = async (run: number): Promise<Any[]> => rows(server, 'action_job', { run_id: run })
  const states = async (run: number): Promise<string> =>
    (await jobsOf(run)).map(({ name, status }) => `${name} ${status}`).join(', ')
  const idOf = async (run: number, name: string): Promise<number> =>
    (await jobsOf(run)).find((job) => job.name === name)!.id
  const stateOf = async (repo: string, run: number): Promise<string> => {
    const { status, conclusion = '' } = (await ann.client.get(`${repo}/actions/runs/${run}`)).json
    return `${status} ${conclusion}`.trim()
  }
  const statuses = async (repo: string): Promise<string[]> => {
    await server.drain()
    const found = (await ann.client.get(`${repo}/commits/main/status`)).json.statuses
    return found.map((one: Any) => `${one.context}: ${one.status}, ${one.description}`)
  }

  it('report the states of their jobs as statuses of the commit', async () => {
    const repo = await repoWith(
      'name: CI\non: push\njobs: { a: { runs-on: x }, b: { runs-on: x, needs: a }, c: { needs: b, if: always() } }\n',
    )
    const run = await push(repo)
    expect(await statuses(repo)).toEqual([
      'CI / a (push): pending, Waiting to run',
      'CI / b (push): pending, Blocked by required conditions',
      'CI / c (push): pending, Blocked by required conditions',
    ])
    await runner.take(await idOf(run, 'a'))
    expect(await stateOf(repo, run)).toBe('in_progress')
    await runner.end(await idOf(run, 'a'), 'failure')
    expect(await states(run)).toBe('a failure, b skipped, c waiting')
    expect(await stateOf(repo, run)).toBe('queued')
    await runner.take(await idOf(run, 'c'))
    await runner.end(await idOf(run, 'c'))
    expect(await stateOf(repo, run)).toBe('completed failure')
    const id = await idOf(run, 'a')
    expect(await statuses(repo)).toEqual([
      'CI / a (push): failure, Failing after 0s',
      'CI / b (push): skipped, Has been skipped',
      'CI / c (push): success, Successful in 0s',
    ])
    const [first] = (await ann.client.get(`${repo}/commits/main/status`)).json.statuses
    expect(first).toMatchObject({
      creator: null,
      target_url: `${repo.slice('/repos'.length)}/actions/runs/${run}/jobs/${id}`,
    })
  })

  it('are cancelled', async () => {
    const repo = await repoWith('on: push\njobs: { a: { runs-on: x }, b: { needs: a } }\n')
    const run = await push(repo)
    const task = await runner.take(await idOf(run, 'a'))
    for (let again = 0; again < 2; again++)
      expect((await ann.client.post(`${repo}/actions/runs/${run}/cancel`)).status).toBe(204)
    expect([await states(run), await stateOf(repo, run)]).toEqual(['a cancelled, b cancelled', 'completed cancelled'])
    const [row] = await rows(server, 'action_task', { id: task })
    expect([row!.status, row!.cancel_requested_at > 0]).toEqual(['cancelled', true])
    expect((await rows(server, 'action_step', { task_id: task })).map((step) => step.status)).toEqual(['cancelled'])
    expect((await ann.client.post(`${repo}/actions/runs/${run}/force-cancel`)).status).toBe(409)
    expect((await bob.client.post(`${repo}/actions/runs/${run}/cancel`)).status).toBe(403)
    expect((await ann.client.post(`${repo}/actions/runs/999999/cancel`)).status).toBe(404)
    expect((await ann.client.post(`${repo}/actions/runs/${run}/approve`)).status).toBe(409)
  })

  it('wait for runners that end cancelled jobs themselves, unless they are cancelled by force', async () => {
    const repo = await repoWith('on: push\njobs: { a: { runs-on: x }, b: { needs: a } }\n')
    const runnerId = await createActionsFactory(server.app).runner({ kind: 'site' }, { capabilities: ['cancelling'] })
    const run = await push(repo)
    const task = await runner.take(await idOf(run, 'a'), runnerId)
    await ann.client.post(`${repo}/actions/runs/${run}/cancel`)
    expect([await states(run), await stateOf(repo, run)]).toEqual(['a running, b cancelled', 'in_progress'])
    expect((await rows(server, 'action_task', { id: task }))[0]!.cancel_requested_at).toBeGreaterThan(0)
    const forced = await ann.client.post(`${repo}/actions/runs/${run}/force-cancel`)
    expect([forced.status, forced.json.conclusion, await states(run)]).toEqual([
      200,
      'cancelled',
      'a cancelled, b cancelled',
    ])
  })

  it('keep their attempts', async () => {
    const repo = await repoWith('on: push\njobs: { a: { runs-on: x }, b: { runs-on: x } }\n')
    const run = await push(repo)
    const [a, b] = [await idOf(run, 'a'), await idOf(run, 'b')]
    await runner.take(a)
    await runner.end(a, 'failure')
    await runner.take(b)
    await runner.end(b)
    const path = `${repo}/actions/runs/${run}`
    const before = (await ann.client.get(path)).json
    expect(before).toMatchObject({ run_attempt: 1, conclusion: 'failure' })
    expect(before).not.toHaveProperty('previous_attempt_url')
    await ann.client.put(`${repo}/collaborators/bob`, { permission: 'write' })
    const again = (await bob.client.post(`${path}/rerun-failed-jobs`)).json
    expect([again.run_attempt, again.actor.login, again.trigger_actor.login]).toEqual([2, 'ann', 'bob'])
    expect(again.previous_attempt_url).toBe(`${server.url}/api/v1${path}/attempts/1`)
    expect(await states(run)).toBe('a waiting, b success')
    await runner.take(a)
    await runner.end(a)
    const first = (await ann.client.get(`${path}/attempts/1`)).json
    expect(first).toMatchObject({ run_attempt: 1, conclusion: 'failure', started_at: before.started_at })
    expect((await ann.client.get(`${path}/attempts/2`)).json).toMatchObject({ run_attempt: 2, conclusion: 'success' })
    const conclusions = async (attempt: number, query = ''): Promise<string[]> =>
      (await ann.client.get(`${path}/attempts/${attempt}/jobs${query}`)).json.jobs.map(
        (job: Any) => `${job.name} ${job.conclusion} ${job.run_attempt}`,
      )
    expect(await conclusions(1)).toEqual(['a failure 1', 'b success 1'])
    expect(await conclusions(2)).toEqual(['a success 2', 'b success 1'])
    expect(await conclusions(1, '?status=failure')).toEqual(['a failure 1'])
    for (const attempt of [0, 3]) expect((await ann.client.get(`${path}/attempts/${attempt}`)).status).toBe(404)
  })

  it('of one concurrency group run one after the other, and the latest replaces those that wait', async () => {
    const repo = await repoWith('on: push\nconcurrency: deploy\njobs: { a: { runs-on: x } }\n')
    const first = await push(repo)
    await runner.take(await idOf(first, 'a'))
    const second = await push(repo)
    expect([await states(first), await states(second)]).toEqual(['a running', 'a blocked'])
    const third = await push(repo)
    expect([await states(second), await states(third)]).toEqual(['a cancelled', 'a blocked'])
    await runner.end(await idOf(first, 'a'))
    await server.drain()
    expect(await states(third)).toBe('a waiting')
  })

  it('are cancelled by the next one of their group if it says so', async () => {
    const repo = await repoWith(
      `on: push\nconcurrency: { group: "\${{ github.ref }}", cancel-in-progress: true }\njobs: { a: { runs-on: x } }\n`,
    )
    const first = await push(repo)
    await runner.take(await idOf(first, 'a'))
    const second = await push(repo)
    expect([await states(first), await states(second)]).toEqual(['a cancelled', 'a waiting'])
    const apart = await repoWith(
      `on: push\nconcurrency: { group: "\${{ github.run_id }}", cancel-in-progress: true }\njobs: { a: { runs-on: x } }\n`,
    )
    expect(await push(apart)).not.toBe(await push(apart))
    expect((await ann.client.get(`${apart}/actions/runs?status=queued`)).json.total_count).toBe(2)
  })

  it('have jobs that wait for their group when their needs are done', async () => {
    const repo = await repoWith(
      'on: push\njobs: { a: { runs-on: x }, b: { runs-on: x, needs: a, concurrency: { group: b } }, c: { runs-on: x, concurrency: c } }\n',
    )
    const [first, second] = [await push(repo), await push(repo)]
    expect([await states(first), await states(second)]).toEqual([
      'a waiting, b blocked, c cancelled',
      'a waiting, b blocked, c waiting',
    ])
    for (const run of [first, second]) {
      await runner.take(await idOf(run, 'a'))
      await runner.end(await idOf(run, 'a'))
      await server.drain()
      if (run === first) await runner.take(await idOf(run, 'b'))
    }
    expect([await states(first), await states(second)]).toEqual([
      'a success, b running, c cancelled',
      'a success, b blocked, c waiting',
    ])
    await runner.end(await idOf(first, 'b'))
    await server.drain()
    expect(await states(second)).toBe('a success, b waiting, c waiting')
  })

  it('of first-time contributors start after approval, and need no approval from then on', async () => {
    const repo = await repoWith('on: pull_request\nconcurrency: x\njobs: { a: { runs-on: x } }\n')
    const fork = `fork${++count}`
    await bob.client.post(`${repo}/forks`, { name: fork })
    await server.drain()
    const propose = async (branch: string): Promise<number> => {
      const content = Buffer.from(branch).toString('base64')
      await bob.client.post(`/repos/bob/${fork}/contents/${branch}`, { content, message: branch, new_branch: branch })
      await bob.client.post(`${repo}/pulls`, { title: branch, head: `bob:${branch}`, base: 'main' })
      await server.drain()
      return (await ann.client.get(`${repo}/actions/runs`)).json.workflow_runs[0].id
    }
    const run = await propose('one')
    expect([await states(run), await stateOf(repo, run)]).toEqual(['a blocked', 'waiting'])
    expect((await bob.client.post(`${repo}/actions/runs/${run}/approve`)).status).toBe(403)
    for (let again = 0; again < 2; again++) {
      const answer = await ann.client.post(`${repo}/actions/runs/${run}/approve`)
      expect([answer.status, answer.json.status]).toEqual([200, 'queued'])
    }
    expect(await states(run)).toBe('a waiting')
    expect(await rows(server, 'audit_entry', { action: 'run.approved' })).toMatchObject([
      { actor_name: 'ann', details: expect.stringContaining(`"run_id":${run}`) },
    ])
    const next = await propose('two')
    expect([await states(run), await states(next)]).toEqual(['a cancelled', 'a waiting'])
  })

  it('begin and end once, however often a job of them waits for a runner', async () => {
    const repo = await repoWith('name: CI\non: push\njobs: { a: { runs-on: x }, b: { runs-on: x, needs: a } }\n')
    const types = '[requested, in_progress, completed]'
    const after = `on: { workflow_run: { types: ${types}, workflows: [CI] } }\njobs: { a: { runs-on: x } }\n`
    await write(repo, '.gitea/workflows/next.yml', after, 'x [skip ci]')
    await push(repo)
    const run = (await ann.client.get(`${repo}/actions/workflows/ci.yml/runs`)).json.workflow_runs[0].id
    const started = async (): Promise<string[]> => {
      await server.drain()
      const found = await rows(server, 'action_run', { workflow: 'next.yml' })
      return found.flatMap(({ payload }) => {
        const { action, workflow_run: parent } = JSON.parse(payload)
        return parent.id === run ? [action] : []
      })
    }
    const seen = [await started()]
    for (const job of ['a', 'b']) {
      await runner.take(await idOf(run, job))
      await runner.end(await idOf(run, job))
      seen.push(await started())
    }
    const begun = ['requested', 'in_progress']
    expect(seen).toEqual([['requested'], begun, [...begun, 'completed']])
  })

  it('start workflows by their end, at most five in a row', async () => {
    const repo = await repoWith('name: CI\non: push\njobs: { a: { runs-on: x } }\n')
    const after = 'on: { workflow_run: { types: [completed], workflows: [CI, Next], branches: [main] } }\n'
    await write(repo, '.gitea/workflows/next.yml', `name: Next\n${after}jobs: { a: { runs-on: x } }\n`, 'x [skip ci]')
    let run = await push(repo)
    const events: string[] = []
    for (let ended = 0; ended !== run;) {
      ended = run
      await runner.take(await idOf(run, 'a'))
      await runner.end(await idOf(run, 'a'))
      await server.drain()
      const newest = (await ann.client.get(`${repo}/actions/runs`)).json.workflow_runs[0]
      events.push(`${newest.event} by ${newest.actor.login}`)
      run = newest.id
    }
    expect(events).toEqual(Array.from({ length: 6 }, () => 'workflow_run by ann'))
    const [row] = await rows(server, 'action_run', { id: run })
    expect(row!.depth).toBe(5)
    expect(JSON.parse(row!.payload)).toMatchObject({ action: 'completed', workflow_run: { conclusion: 'success' } })
  })
})
