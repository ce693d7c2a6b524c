import { describe, expect, it } from 'vitest'
import { type Child, startProcess } from '../../../platform/process/process.ts'
import type { GitRepo } from '../../repo.ts'
import { copyObjects } from './copy-objects.ts'

const WANTS = ['0'.repeat(39) + '1']

/** Copies by a taker that reads one byte and leaves before its input has ended. */
function copy(code: number, fault?: Error): Promise<void> {
  const start = (): Child => {
    const taker = startProcess('sh', ['-c', `head -c 1 >/dev/null; echo words >&2; exit ${code}`])
    // What happens when the process leaves between the end of the input and the notice of it.
    taker.stdin.end = (() => taker.stdin.destroy()) as Child['stdin']['end']
    return taker
  }
  async function* stream() {
    yield Buffer.from('x')
    if (fault) throw fault
  }
  const repo = (command: object): GitRepo => ({ objectFormat: 'sha1', command }) as unknown as GitRepo
  return copyObjects(repo({ stream }), repo({ start }), { wants: WANTS })
}

describe('copying objects', () => {
  it('is done when the taker is content, although it leaves before its input ends', () =>
    expect(copy(0)).resolves.toBeUndefined())
  it('fails with the words of a taker that is not', () =>
    expect(copy(1)).rejects.toThrow('git index-pack could not take the objects: words'))
  it('fails with the fault of the giver', () =>
    expect(copy(1, new Error('no such object'))).rejects.toThrow('no such object'))
})
