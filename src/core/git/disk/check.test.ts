import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkRepo } from './check.ts'
import type { GitCommand } from '../engine/command.ts'
import { oracle, startWorld, type World } from '../../../../test/core/git/fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

/** A repository of one commit that can be taken out of it and put back. */
async function repoOfOne() {
  const { path, command } = await world.repo('sha1')
  const tree = oracle(path, ['mktree'], '')
  const commit = oracle(path, ['commit-tree', tree, '-m', 'one'])
  oracle(path, ['update-ref', 'refs/heads/main', commit])
  const file = join(path, 'objects', commit.slice(0, 2), commit.slice(2))
  const aside = join(path, 'aside')
  return { path, command, commit, takeOut: () => renameSync(file, aside), putBack: () => renameSync(aside, file) }
}

it.each(['everything', 'reachable'] as const)('reports what git finds twice: %s', async (depth) => {
  const { path, command, commit, takeOut, putBack } = await repoOfOne()
  expect(await checkRepo(command, depth)).toEqual([])
  takeOut()
  expect((await checkRepo(command, depth)).join('\n')).toContain(commit)
  // As a push that git saw half of: the ref, and not yet its commit.
  const looks: number[] = []
  const once: GitCommand = {
    ...command,
    async run(args, options) {
      const result = await command.run(args, options)
      if (looks.push(result.code) === 1) putBack()
      return result
    },
  }
  expect(await checkRepo(once, depth)).toEqual([])
  expect(looks).toEqual([expect.any(Number), 0])
  expect(looks[0]).toBeGreaterThan(0)
  expect(readdirSync(path)).not.toContain('aside')
})
