import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gitLogin, tokenHeaders } from './api.ts'
import type { Place } from './endpoints.ts'
import { applyLoad, median } from './load.ts'
import type { Workshop } from './processes.ts'

/** Wall times in ms. */
export interface Transfers {
  readonly clone: number
  /** The same clone once more, which a server may answer from what it kept. */
  readonly cloneAgain: number
  readonly cloneFromDisk: number
  readonly pushClient: number
  /** What the server itself spent on a push, ref advertisement included; undefined where it cannot be known. */
  readonly pushServer: number | undefined
}

const PUSHES = 7

/** Pushes everything; gives the wall time in ms. */
export function pushAll(workshop: Workshop, { target, stock, large }: Place): Promise<number> {
  return workshop.run('git', ['push', '--quiet', `${target.url}/${target.login}/${stock.large}.git`, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'], {
    cwd: large.path,
    env: gitLogin(target),
  })
}

export async function measureTransfers(workshop: Workshop, place: Place): Promise<Transfers> {
  const url = `${place.target.url}/${place.target.login}/${place.stock.large}.git`
  const clone = (from: string, name: string, env = {}) => workshop.run('git', ['clone', '--quiet', '--bare', from, join(workshop.dir, name)], { env })
  const remove = (name: string): void => rmSync(join(workshop.dir, name), { recursive: true, force: true })
  const first = await clone(url, 'clone-1.git', gitLogin(place.target))
  const again = await clone(url, 'clone-2.git', gitLogin(place.target))
  remove('clone-2.git')
  // The first clone holds the pack that the server sends, so both sides have equal work.
  const disk = await clone(pathToFileURL(join(workshop.dir, 'clone-1.git')).href, 'clone-3.git')
  remove('clone-3.git')
  remove('clone-1.git')
  return { clone: first, cloneAgain: again, cloneFromDisk: disk, ...(await measurePushes(workshop, place, url)) }
}

/** Pushes of one commit each, made on top of main without a checkout. */
async function measurePushes(workshop: Workshop, { target, large }: Place, url: string): Promise<Pick<Transfers, 'pushClient' | 'pushServer'>> {
  const client: number[] = []
  const server: number[] = []
  target.takePushTime?.()
  for (let i = 0; i < PUSHES; i++) {
    const stream = `commit refs/heads/main\ncommitter Author <author@example.org> ${2_000_000_000 + i} +0000\ndata 4\npush\nfrom refs/heads/main^0\nM 100644 inline ${large.file}\ndata <<END\n${target.name} ${i}\nEND\n\n`
    await workshop.run('git', ['fast-import', '--quiet'], { cwd: large.path, feed: (write) => write(stream) })
    client.push(await workshop.run('git', ['push', '--quiet', url, 'main:main'], { cwd: large.path, env: gitLogin(target) }))
    const ms = target.takePushTime?.()
    if (ms !== undefined) server.push(ms)
  }
  if (server.length === 0) return { pushClient: median(client), pushServer: undefined }
  const headers = tokenHeaders(target)
  const advertisement = await applyLoad({ seconds: 0.5, connections: 1, next: () => ({ method: 'GET', url: `${url}/info/refs?service=git-receive-pack`, headers }) })
  return { pushClient: median(client), pushServer: median(server) + (advertisement.failures === 0 ? advertisement.p50 : Number.NaN) }
}
