import { afterEach, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { eventually, openStream, type TestStream } from '../harness/event-stream.ts'
import { queriesOf } from '../harness/queries.ts'
import { runnerOf } from '../harness/runner.ts'
import { startSecond } from '../harness/second-server.ts'
import type { Person } from '../harness/world.ts'
import { runnerWorld } from './runner-world.ts'

describeOnBoth('a log that is followed', (kind) => {
  const world = runnerWorld(kind)
  const opened: TestStream[] = []
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })

  const tokenOf = async (who: Person): Promise<Record<string, string>> => ({
    authorization: `token ${await who.token('read:repository')}`,
  })
  async function follow(job: number, headers: Record<string, string> = {}): Promise<TestStream> {
    const who = 'authorization' in headers ? {} : await tokenOf(world.ann)
    const stream = await openStream(world.server.url, `${world.path}/jobs/${job}/logs/stream`, { ...who, ...headers })
    opened.push(stream)
    return stream
  }
  /** The texts of the lines without their times. */
  const linesOf = (stream: TestStream): string[] =>
    stream.of().flatMap(({ lines }) => lines.map((line: string) => line.slice(line.indexOf(' ') + 1)))
  const start = async (): Promise<{ readonly job: number; readonly task: bigint }> => {
    const { jobs } = await world.queue(['a'])
    return { job: jobs[0]!, task: (await world.take())! }
  }

  it('comes line by line until the job ends', async () => {
    const { job, task } = await start()
    await world.append(task, 0, ['one', 'two\rthree'])
    const stream = await follow(job)
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream;charset=utf-8' } })
    await eventually(() => linesOf(stream).length === 2)
    await world.append(task, 2, ['four'])
    await eventually(() => linesOf(stream).length === 3)
    expect(linesOf(stream)).toEqual(['one', 'two\rthree', 'four'])
    expect([stream.of().at(-1).first_line, stream.lastId, stream.isEnded]).toEqual([2, '3', false])
    await world.append(task, 3, ['five'], true)
    await world.finish(task)
    await eventually(() => stream.isEnded)
    expect([linesOf(stream).at(-1), stream.of('end')]).toEqual(['five', [{ reason: 'finished' }]])
  })

  it('resumes after the lines that the client has, also from the stored file', async () => {
    const { job, task } = await start()
    await world.append(task, 0, ['zero', 'one'])
    const first = await follow(job, { 'last-event-id': '1' })
    await eventually(() => linesOf(first).length === 1)
    expect(linesOf(first)).toEqual(['one'])
    const many = Array.from({ length: 2500 }, (_, at) => `é${at} a longer line\r`)
    await world.append(task, 2, many, true)
    await world.finish(task)
    await eventually(() => first.isEnded)
    await world.server.drain()
    expect(await rows(world.server, 'action_log', { task_id: Number(task) })).toEqual([])
    const sealed = await follow(job, { 'last-event-id': '3' })
    await eventually(() => sealed.isEnded)
    expect(linesOf(sealed)).toEqual(many.slice(1))
    expect(linesOf(first)).toEqual(['one', ...many])
    expect(sealed.lastId).toBe('2502')
    const done = await follow(job, { 'last-event-id': '2502' })
    await eventually(() => done.isEnded)
    expect(done.messages).toEqual([{ event: 'end', data: { reason: 'finished' } }])
  })

  it('ends when the viewer loses access', async () => {
    const { job, task } = await start()
    await world.append(task, 0, ['one'])
    const bob = await world.server.world.user(`bob-${world.repoId}`)
    const headers = await tokenOf(bob)
    const [ofBob, ofAnn] = [await follow(job, headers), await follow(job)]
    await eventually(() => linesOf(ofBob).length === 1)
    await world.ann.client.patch(world.path.replace('/actions', ''), { private: true })
    await eventually(() => ofBob.isEnded)
    expect(ofBob.of('end')).toEqual([{ reason: 'refused' }])
    await world.append(task, 1, ['two'])
    await eventually(() => linesOf(ofAnn).length === 2)
    expect((await follow(job, headers)).status).toBe(404)
    expect(linesOf(ofBob)).toEqual(['one'])
  })

  it('ends when the token of the reader is deleted', async () => {
    const { job, task } = await start()
    await world.append(task, 0, ['one'])
    const stream = await follow(job)
    await eventually(() => linesOf(stream).length === 1)
    const tokens = (await world.ann.client.get('/users/ann/tokens')).json
    for (const { id } of tokens) await world.ann.client.delete(`/users/ann/tokens/${id}`)
    await eventually(() => stream.isEnded)
    expect(stream.of('end')).toEqual([{ reason: 'refused' }])
  })

  it('is read from the database only as fast as its reader reads, without delay for others', async () => {
    const { job, task } = await start()
    const [slow, quick] = [await follow(job), await follow(job)]
    slow.pause()
    // More than the buffers of the connection hold.
    const batches = Array.from({ length: 16 }, (_, batch) =>
      Array.from({ length: 100 }, (_, at) => `${batch * 100 + at} ${'x'.repeat(20_000)}`),
    )
    for (const [batch, lines] of batches.entries()) await world.append(task, batch * 100, lines, batch === 15)
    await world.finish(task)
    await eventually(() => quick.isEnded)
    expect(linesOf(quick)).toEqual(batches.flat())
    const later = await queriesOf(world.server.app.database, async () => {
      slow.resume()
      await eventually(() => slow.isEnded)
    })
    expect(linesOf(slow)).toEqual(batches.flat())
    expect(later.filter(({ sql }) => sql.includes('from "action_log"')).length).toBeGreaterThan(3)
  })

  it('comes from another server of the database, where its runner reports', async () => {
    const { job, task } = await start()
    const stream = await follow(job)
    const second = await startSecond(world.server)
    const runner = world.runner
    try {
      world.runner = runnerOf(second.url, runner)
      await world.append(task, 0, ['one'])
      await eventually(() => linesOf(stream).length === 1)
      await world.append(task, 1, ['two'], true)
      await world.finish(task)
      await eventually(() => stream.isEnded)
      expect([linesOf(stream), stream.of('end')]).toEqual([['one', 'two'], [{ reason: 'finished' }]])
    } finally {
      world.runner = runner
      await second.close()
    }
  })

  it('is one of a bounded number of streams, for jobs that have begun', async () => {
    const { jobs } = await world.queue(['a'])
    expect((await follow(jobs[0]!)).status).toBe(404)
    await world.take()
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(jobs[0]!)))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    expect((await follow(jobs[0]!)).status).toBe(429)
  })
})
