import { expect, it } from 'vitest'
import { oracle } from '../../core/git/fixture.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, enqueue, newPull, queueWorld, repoPath, RULES } from './queue-world.ts'

describeOnBoth('queueing at once', (kind) => {
  const world = queueWorld({ on: kind })

  it('merges each of 20 pull requests once while the base is pushed to', { timeout: 240_000 }, async () => {
    await world.ann.client.patch(`${RULES}/main`, { enable_status_check: false })
    const numbers: number[] = []
    for (let index = 0; index < 20; index++) numbers.push((await newPull(world.wes, `many${index}`)).number)
    const pushed: string[] = []
    const push = async () => {
      for (let index = 0; index < 5; index++)
        pushed.push(await commitFile(world.ann, { branch: 'main', path: `pushed${index}.txt` }))
    }
    let isOver = false
    const work = async () => {
      while (!isOver) await world.server.drain()
    }
    const queue = Promise.all(numbers.map((number) => enqueue(world.wes, number)))
    const all = Promise.all([queue, push()]).finally(() => (isOver = true))
    const [[answers]] = await Promise.all([all, work()])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await world.entries()).toEqual([])
    const path = await repoPath(world.server)
    const history = oracle(path, ['rev-list', '--first-parent', 'main']).split('\n')
    const files = new Set(oracle(path, ['ls-tree', '--name-only', 'main']).split('\n'))
    for (const [index, number] of numbers.entries()) {
      const shown = await world.shown(number)
      expect([number, shown.merged, history.includes(shown.merge_commit_sha)]).toEqual([number, true, true])
      expect(files.has(`many${index}.txt`)).toBe(true)
    }
    expect(pushed.filter((oid) => !history.includes(oid))).toEqual([])
    // The first commit, five pushes and twenty merges: no pull request was merged twice.
    expect(history.filter((oid) => oid !== '')).toHaveLength(26)
    expect(await world.tip()).toBe(history[0])
  })
})
