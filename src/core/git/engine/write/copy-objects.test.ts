import { describe, expect, it } from 'vitest'
import { type Child, startProcess } from '../../../platform/process/process.ts'
import type { GitRepo } from '../../repo.ts'
import { copyObjects } from './copy-objects.ts'

const WANTS = ['0'.repeat(39) + '1']

/** Copies to a receiver that reads one byte and ends before its input has ended. */
function copy(code: number, fault?: Error): Promise<void> {
  const start = (): Child => {
    const taker = startProcess('sh', ['-c', `head -c 1 >/dev/null; echo words >&2; exit ${code}`])
    // Simulates a process that ends between the end of the input and the notification of it.
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
  it('succeeds when the receiver succeeds, although it exits before its input ends', () =>
    expect(copy(0)).resolves.toBeUndefined())
  it('fails with the error of a failed receiver', () =>
    expect(copy(1)).rejects.toThrow('git index-pack could not read the objects: words'))
  it('fails with the error of the source', () =>
    expect(copy(1, new Error('no such object'))).rejects.toThrow('no such object'))
})
