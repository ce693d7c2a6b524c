import type { TempDir } from './processes.ts'
import { cpuOfEndedChildren } from './process-tree.ts'

/** CPU time in ms of one `git upload-pack` that sends everything and has no bitmaps to go by. */
export async function cpuOfUploadPack(tempDir: TempDir, path: string): Promise<number> {
  const refs = await tempDir.read('git', ['for-each-ref', '--format=%(objectname)'], { cwd: path })
  const wants = [...new Set(refs.trim().split('\n'))]
  const request = [
    pkt('command=fetch'),
    pkt('object-format=sha1'),
    '0001',
    pkt('thin-pack'),
    pkt('include-tag'),
    pkt('ofs-delta'),
    ...wants.map((oid) => pkt(`want ${oid}`)),
    pkt('done'),
    '0000',
  ]
  const before = cpuOfEndedChildren()
  await tempDir.run('git', ['-c', 'pack.useBitmaps=false', 'upload-pack', '--stateless-rpc', path], {
    env: { GIT_PROTOCOL: 'version=2' },
    feed: (write) => write(request.join('')),
  })
  return cpuOfEndedChildren() - before
}

const pkt = (line: string): string => `${(Buffer.byteLength(line) + 5).toString(16).padStart(4, '0')}${line}\n`
