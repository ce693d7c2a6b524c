import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oracle, script, startWorld, type ScriptCommit, type World } from './fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

/** Random histories with merges, equal changes on both sides, deletions and returns. */
function history(seed: number, commits: number): string {
  const random = fc.sample(fc.nat(), { seed, numRuns: commits * 4 })
  const list: ScriptCommit[] = [
    { branch: 'main', files: { 'a/x': '0', 'a/y': '0', 'b/x': '0', root: '0', 'a/deep/z': '0' } },
  ]
  for (let index = 1; index < commits; index++) {
    const [what, where, value, other] = random.slice(index * 4, index * 4 + 4) as [number, number, number, number]
    const path = ['a/x', 'a/y', 'a/deep/z', 'b/x', 'root', `a/new${value % 5}`, `top${value % 5}`][where % 7]!
    const files = { [path]: what % 7 === 0 && !['a/x', 'b/x'].includes(path) && index > 5 ? null : String(value % 3) }
    const base = { branch: `b${index}`, from: `:${Math.max(1, index - (other % 3))}` }
    list.push(
      what % 4 === 1 && index > 2
        ? { ...base, merge: [`:${1 + (other % index)}`].filter((mark) => mark !== base.from), files }
        : { ...base, files },
    )
  }
  return script(list)
}

it.each([1, 2, 3, 4])('equals git log -1 for every entry of random histories (%i)', async (seed) => {
  const commits = 60
  const repo = await world.repo('sha1', history(seed, commits))
  for (const branch of [`b${commits - 1}`, `b${commits - 2}`, `b${Math.floor(commits / 2)}`]) {
    const tip = oracle(repo.path, ['rev-parse', branch])
    for (const directory of ['', 'a', 'b']) {
      const found = await repo.lastCommits.ofDirectory(tip, directory)
      const names = oracle(repo.path, ['ls-tree', '--name-only', `${tip}:${directory}`]).split('\n')
      for (const name of names) {
        const path = directory === '' ? name : `${directory}/${name}`
        expect(found.get(name), `${branch} ${path}`).toBe(
          oracle(repo.path, ['log', '-1', '--format=%H', tip, '--', path]),
        )
      }
    }
  }
})
