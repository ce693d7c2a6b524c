import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyObjects, type GitRepo } from '../../../src/core/git/index.ts'
import { FORMATS, newStorage, oracle, SMALL, startWorld, type World } from './fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

async function empty(format: GitRepo['objectFormat']): Promise<GitRepo> {
  const storage = newStorage()
  await world.git.createRepo(storage, { objectFormat: format, defaultBranch: 'main' })
  return world.git.open({ storage, objectFormat: format })
}

describe.each(FORMATS)('copying objects between %s repositories', (format) => {
  it('succeeds when git closes the pipe after it has read the pack', async () => {
    const from = await world.repo(format, SMALL)
    const to = await empty(format)
    const left = Promise.withResolvers<unknown>()
    const start: GitRepo['command']['start'] = (args, options) => {
      const child = to.command.start(args, options)
      left.resolve(once(child, 'close'))
      return child
    }
    const stream: GitRepo['command']['stream'] = async function* (args, options) {
      yield* from.command.stream(args, options)
      await left.promise
    }
    const tip = oracle(from.path, ['rev-parse', 'main'])
    await copyObjects(
      { ...from, command: { ...from.command, stream } },
      { ...to, command: { ...to.command, start } },
      { wants: [tip] },
    )
    expect(oracle(to.path, ['cat-file', '-t', tip])).toBe('commit')
  })

  it('fails when the pack ends too early', async () => {
    const from = await world.repo(format, SMALL)
    const stream: GitRepo['command']['stream'] = async function* (args, options) {
      for await (const chunk of from.command.stream(args, options)) {
        yield chunk.subarray(0, 20)
        return
      }
    }
    const tip = oracle(from.path, ['rev-parse', 'main'])
    await expect(
      copyObjects({ ...from, command: { ...from.command, stream } }, await empty(format), { wants: [tip] }),
    ).rejects.toThrow('git index-pack could not read the objects')
  })
})
