import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { compareFiles } from '../protections.policy.ts'
import { MEASURED } from '../../../../../test/harness/measured.ts'

const findProtected = async (patterns: string, files: readonly string[]): Promise<string | undefined> =>
  (await compareFiles({ protectedFiles: patterns, unprotectedFiles: '' }, files)).protectedFile
const areUnprotected = async (patterns: string, files: readonly string[]): Promise<boolean> =>
  (await compareFiles({ protectedFiles: '', unprotectedFiles: patterns }, files)).areAllUnprotected

describe('the files of a change', () => {
  it.each([
    ['*.lock', ['src/a.ts', 'a.lock'], 'a.lock'],
    ['*.lock', ['dir/a.lock', 'a.b.lock'], undefined],
    ['**.lock', ['dir/a.lock'], 'dir/a.lock'],
    ['secret/** ; ;x', ['SECRET/Deep/key.pem'], 'SECRET/Deep/key.pem'],
    ['', ['a'], undefined],
    [' ; ', ['a'], undefined],
  ])('%s of %j protects %s', async (patterns, files, expected) => {
    expect(await findProtected(patterns, files)).toBe(expected)
  })

  it('are reported as all unprotected or not', async () => {
    expect(await areUnprotected('docs/**', ['docs/a', 'docs/b/c'])).toBe(true)
    expect(await areUnprotected('docs/**', ['docs/a', 'src/b'])).toBe(false)
    expect(await areUnprotected('docs/**', [])).toBe(false)
    expect(await areUnprotected('', ['docs/a'])).toBe(false)
    expect(await compareFiles({ protectedFiles: '*.lock', unprotectedFiles: '**' }, ['a', 'b'])).toMatchObject({
      areAllUnprotected: true,
    })
  })

  it('are protected if their path is too long to compare', async () => {
    const long = 'a'.repeat(4097)
    expect(await findProtected('x', ['a', long])).toBe(long)
    expect(await areUnprotected('**', [long])).toBe(false)
    expect(await areUnprotected('**', [long.slice(1)])).toBe(true)
  })

  it('block the thread for at most 100 milliseconds at a time, with any patterns and paths', MEASURED, async () => {
    const protectedFiles = `*${'{,}'.repeat(1360)};x`
    const files = Array.from({ length: 5 }, (_, index) => `${'a'.repeat(4000)}${index}/`)
    const compared = compareFiles({ protectedFiles, unprotectedFiles: '' }, files)
    let [isDone, longest] = [false, 0]
    void compared.finally(() => (isDone = true))
    while (!isDone) {
      const { user } = process.threadCpuUsage()
      await nextTurn()
      longest = Math.max(longest, process.threadCpuUsage().user - user)
    }
    expect(await compared).toEqual({ areAllUnprotected: false })
    expect(longest / 1000).toBeLessThan(100)
  })
})
