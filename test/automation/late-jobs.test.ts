import { expect, it } from 'vitest'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { rpc } from '../harness/runner.ts'
import { runnerWorld } from './runner-world.ts'

describeOnBoth('jobs that depend on outputs of others', (kind) => {
  const world = runnerWorld(kind)
  const repo = (): string => world.path.replace('/actions', '')

  async function start(jobs: string): Promise<number> {
    const content = Buffer.from(`name: CI\non: push\njobs:\n${jobs}`).toString('base64')
    const answer = await world.ann.client.post(`${repo()}/contents/.gitea/workflows/ci.yml`, { content, message: 'CI' })
    expect(answer.status).toBe(201)
    await world.server.drain()
    return (await world.ann.client.get(`${world.path}/runs`)).json.workflow_runs[0].id
  }
  const states = async (run: number): Promise<string[]> =>
    (await rows(world.server, 'action_job', { run_id: run })).map(({ name, status }) => `${name} ${status}`)
  /** Takes the next job, and ends it with these outputs. Returns what it was to run. */
  async function work(outputs: Record<string, string> = {}, result = Result.SUCCESS): Promise<string> {
    const { task } = await world.runner.call(rpc.fetchTask, {})
    await world.runner.call(rpc.updateTask, { state: { id: task!.id, result }, outputs })
    await world.server.drain()
    return Buffer.from(task!.workflowPayload!).toString()
  }
  const statuses = async (): Promise<string[]> =>
    (await world.ann.client.get(`${repo()}/commits/main/status`)).json.statuses.map(
      ({ context, status }: { context: string; status: string }) => `${context}: ${status}`,
    )
  const FIRST = '  first: { runs-on: host }\n'

  it('have the matrix, name and labels that the outputs say', async () => {
    await world.ann.client.post(`${world.path}/variables/SUFFIX`, { value: '!' })
    const run = await start(`${FIRST}  each:
    needs: first
    name: "\${{ matrix.v }}\${{ vars.SUFFIX }} by \${{ github.actor }}, \${{ github.event.head_commit.message }}"
    runs-on: "\${{ needs.first.outputs.label }}"
    strategy: { matrix: { v: "\${{ fromJSON(needs.first.outputs.list) }}" } }
    steps: [{ run: "echo \${{ matrix.v }}" }]
  last: { needs: each, runs-on: host }
`)
    expect(await states(run)).toEqual(['first waiting', 'each blocked', 'last blocked'])
    expect(await statuses()).toEqual(['CI / first (push): pending', 'CI / last (push): pending'])
    await work({ list: '["a", "b"]', label: 'host' })
    expect(await states(run)).toEqual([
      'first success',
      'a! by ann, CI waiting',
      'last blocked',
      'b! by ann, CI waiting',
    ])
    expect(await work()).toMatch(/name: a! by ann, CI\n +runs-on: host\n +strategy:\n +matrix:\n +v:\n +- a\n/)
    expect(await states(run)).toContain('last blocked')
    await work()
    expect(await states(run)).toContain('last waiting')
    expect(await statuses()).toContain('CI / b! by ann, CI (push): success')
    await work()
    expect((await world.ann.client.get(`${world.path}/runs/${run}`)).json.conclusion).toBe('success')
  })

  it('are planned again by a rerun of those that they need, and stay as they were in the attempt before', async () => {
    const matrix = 'strategy: { matrix: { v: "${{ fromJSON(needs.first.outputs.list) }}" } }'
    const run = await start(`${FIRST}  each: { needs: first, runs-on: host, ${matrix} }
  last: { needs: each, runs-on: host }
`)
    const jobsOf = async (path: string): Promise<Any[]> =>
      (await world.ann.client.get(`${world.path}/runs/${run}/${path}`)).json.jobs
    const statesOf = async (path: string): Promise<string[]> =>
      (await jobsOf(path)).map(({ name, conclusion, status }: Any) => `${name} ${conclusion ?? status}`)
    await work({ list: '["a", "b"]' })
    await work()
    await work({}, Result.FAILURE)
    const before = ['first success', 'each (a) success', 'last skipped', 'each (b) failure']
    expect(await statesOf('jobs')).toEqual(before)
    const [, a] = await jobsOf('jobs')

    expect((await world.ann.client.post(`${world.path}/runs/${run}/rerun-failed-jobs`)).status).toBe(201)
    expect(await statesOf('jobs')).toEqual(['first success', 'each (a) success', 'last waiting', 'each (b) queued'])
    await work()
    await work()
    expect(await statesOf('jobs')).toEqual(['first success', 'each (a) success', 'last success', 'each (b) success'])

    expect((await world.ann.client.post(`${world.path}/runs/${run}/rerun`)).json.run_attempt).toBe(3)
    expect(await statesOf('jobs')).toEqual(['first queued', 'last waiting', 'each waiting'])
    await world.server.drain()
    const ofMatrix = async () => (await statuses()).filter((text) => text.includes('each')).toSorted()
    expect(await ofMatrix()).toEqual(['CI / each (a) (push): pending', 'CI / each (b) (push): pending'])
    await work({ list: '["b", "c", "d"]' })
    expect((await ofMatrix())[0]).toBe('CI / each (a) (push): skipped')
    expect(await statesOf('jobs')).toEqual([
      'first success',
      'last waiting',
      'each (b) queued',
      'each (c) queued',
      'each (d) queued',
    ])
    for (const name of ['b', 'c', 'd']) expect(await work()).toContain(`each (${name})`)
    await work()
    expect(await ofMatrix()).toEqual([
      'CI / each (a) (push): skipped',
      ...['b', 'c', 'd'].map((name) => `CI / each (${name}) (push): success`),
    ])
    expect((await jobsOf('jobs')).map((job) => job.run_attempt)).toEqual([2, 2, 3, 3, 3])
    expect((await world.ann.client.get(`${world.path}/runs/${run}`)).json.conclusion).toBe('success')
    expect(await statesOf('attempts/1/jobs')).toEqual(before)
    expect(await statesOf('attempts/2/jobs')).toEqual(
      before.map((text) => text.replace(/(?:skipped|failure)/, 'success')),
    )
    expect(await statesOf('attempts/3/jobs')).toEqual(await statesOf('jobs'))
    expect((await world.ann.client.get(`${world.path}/jobs/${a!.id}`)).json).toMatchObject({ name: 'each (a)' })
    expect((await world.ann.client.post(`${world.path}/runs/${run}/jobs/${a!.id}/rerun`)).status).toBe(404)
    expect((await world.ann.client.delete(`${world.path}/runs/${run}`)).status).toBe(204)
    expect(await rows(world.server, 'action_job', { run_id: run })).toEqual([])
  })

  it('are planned again by a rerun of one that they need, which then fails', async () => {
    const run = await start(`${FIRST}  each: { needs: first, runs-on: "\${{ needs.first.outputs.label }}" }
  other: { needs: first, runs-on: host }
`)
    await work({ label: 'host' })
    await work()
    await work()
    const [first] = await rows(world.server, 'action_job', { run_id: run })
    expect((await world.ann.client.post(`${world.path}/runs/${run}/jobs/${first!.id}/rerun`)).status).toBe(201)
    await work({}, Result.FAILURE)
    const { jobs } = (await world.ann.client.get(`${world.path}/runs/${run}/jobs`)).json
    expect(jobs.map(({ name, conclusion }: Any) => `${name} ${conclusion}`)).toEqual([
      'first failure',
      'other skipped',
      'each skipped',
    ])
  })

  it('join the concurrency group that the outputs name', async () => {
    const jobs = `${FIRST}  deploy: { needs: first, runs-on: host, concurrency: "\${{ needs.first.outputs.place }}-\${{ needs.first.result }}" }
  other: { runs-on: elsewhere, concurrency: prod-success }
`
    const run = await start(jobs)
    await work({ place: 'prod' })
    expect(await states(run)).toEqual(['first success', 'deploy waiting', 'other cancelled'])
    const [, deploy] = await rows(world.server, 'action_job', { run_id: run })
    expect(deploy!.concurrency_group).toBe('prod-success')
  })

  it('fail when the outputs make no job, and are skipped with those that they need', async () => {
    const jobs = `${FIRST}  each: { needs: first, runs-on: host, strategy: { matrix: { v: "\${{ fromJSON(needs.first.outputs.list) }}" } } }
  last: { needs: each, runs-on: host }
`
    const broken = await start(jobs)
    await work({ list: '["a"' })
    expect(await states(broken)).toEqual(['first success', 'each failure', 'last skipped'])
    const [, each] = await rows(world.server, 'action_job', { run_id: broken })
    const reason = 'jobs.each.strategy.matrix.v: cannot be evaluated: '
    expect(await world.logOf(each!.id)).toEqual([expect.stringContaining(reason)])
    await world.ann.client.post(`${world.path}/runs/${broken}/rerun`)
    await work({ list: `[${'1, '.repeat(300)}1]` })
    expect(await states(broken)).toEqual(['first success', 'each failure', 'last skipped'])
    expect(await world.logOf(each!.id)).toEqual([expect.stringContaining('more than 256 combinations')])
    await world.ann.client.post(`${world.path}/runs/${broken}/rerun`)
    await work({}, Result.FAILURE)
    expect(await states(broken)).toEqual(['first failure', 'each skipped', 'last skipped'])
  })

  it('are skipped when their if is false, before the matrix is evaluated', async () => {
    const matrix = 'strategy: { matrix: { v: "${{ fromJSON(needs.first.outputs.list) }}" } }'
    const run = await start(`${FIRST}  each:
    needs: first
    if: needs.first.outputs.list != '[]' && github.event.ref == 'refs/heads/main'
    runs-on: host
    ${matrix}
  last: { needs: each, runs-on: host }
  always: { needs: each, if: always(), runs-on: host }
`)
    await work({ list: '[]' })
    expect(await states(run)).toEqual(['first success', 'each skipped', 'last skipped', 'always waiting'])
    expect(await statuses()).toContain('CI / each (push): skipped')
    await work()
    const { path } = world
    expect((await world.ann.client.get(`${path}/runs/${run}`)).json.conclusion).toBe('success')
    const [, each] = await rows(world.server, 'action_job', { run_id: run })
    for (const again of [`jobs/${each!.id}/rerun`, 'rerun']) {
      expect((await world.ann.client.post(`${path}/runs/${run}/${again}`)).status).toBe(201)
      await world.server.drain()
      expect(await states(run)).toContain(again === 'rerun' ? 'each blocked' : 'each skipped')
      if (again !== 'rerun') await work()
    }
    await work({ list: '["a"]' })
    expect(await states(run)).toEqual(['first success', 'each (a) waiting', 'last blocked', 'always blocked'])
  })

  it('are skipped without needs, too, when the run starts', async () => {
    const matrix = 'strategy: { matrix: { v: "${{ fromJSON(vars.LIST) }}" } }'
    const run = await start(`  each: { if: "vars.LIST != ''", runs-on: host, ${matrix} }
  last: { needs: each, if: always(), runs-on: host }
`)
    expect(await states(run)).toEqual(['each skipped', 'last waiting'])
    await world.ann.client.post(`${world.path}/variables/LIST`, { value: '["a"]' })
    await work()
    await world.ann.client.post(`${world.path}/runs/${run}/rerun`)
    await world.server.drain()
    expect(await states(run)).toEqual(['each skipped', 'last waiting'])
    await work()
    expect((await world.ann.client.get(`${world.path}/runs/${run}`)).json.conclusion).toBe('success')
  })

  it('do not keep the others from starting when variables make an empty matrix', async () => {
    const matrix = 'strategy: { matrix: { v: "${{ fromJSON(vars.NONE || \'[]\') }}" } }'
    const run =
      await start(`${FIRST}  wanted: { needs: first, if: needs.first.outputs.list != '', runs-on: host, ${matrix} }
  failed: { needs: first, runs-on: host, ${matrix} }
  alone: { runs-on: host, ${matrix} }
  last: { needs: [wanted, failed, alone], if: always(), runs-on: host }
`)
    expect(await states(run)).toEqual([
      'first waiting',
      'wanted blocked',
      'failed blocked',
      'alone failure',
      'last blocked',
    ])
    await work()
    expect(await states(run)).toEqual([
      'first success',
      'wanted skipped',
      'failed failure',
      'alone failure',
      'last waiting',
    ])
    const jobs = await rows(world.server, 'action_job', { run_id: run, status: 'failure' })
    for (const job of jobs)
      expect(await world.logOf(job.id)).toEqual([expect.stringMatching(/matrix\.v: must be a list with at least one/)])
    expect(await statuses()).toContain('CI / alone (push): failure')
    await work()
    expect((await world.ann.client.get(`${world.path}/runs/${run}`)).json.conclusion).toBe('failure')
  })

  it('are planned again when only the job that could not be planned is rerun', async () => {
    const run = await start(`${FIRST}  each: { needs: first, runs-on: "\${{ fromJSON(needs.first.outputs.label) }}" }
`)
    await work({ label: '[' })
    expect(await states(run)).toEqual(['first success', 'each failure'])
    const answer = await world.ann.client.post(`${world.path}/runs/${run}/rerun-failed-jobs`)
    expect(answer.status).toBe(201)
    expect(await states(run)).toEqual(['first success', 'each blocked'])
    await world.server.drain()
    expect(await states(run)).toEqual(['first success', 'each failure'])
  })
})
