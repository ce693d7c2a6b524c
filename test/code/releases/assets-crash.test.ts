import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCommand, startIngot, temporaryFolder } from '../../harness/process.ts'
import { until } from '../../core/git/wire/client.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const files = () =>
  readdirSync(join(folder.path, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size)

describe('an upload while the server is killed', () => {
  it('leaves no files, and concurrent commands do not delete uploads', async () => {
    const first = await startIngot(folder.path)
    const authorization = `Basic ${Buffer.from(`admin:${first.password}`).toString('base64')}`
    const api = (url: string, path: string, body: object) =>
      fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((answer) => answer.json())
    await api(first.url, '/user/repos', { name: 'r', auto_init: true })
    const { id } = (await api(first.url, '/repos/admin/r/releases', { tag_name: 'v1' })) as { id: number }
    const path = `/api/v1/repos/admin/r/releases/${id}/assets?name=half.bin`
    const half = request(first.url + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/octet-stream', 'content-length': '1000000' },
    })
    half.on('error', () => {})
    half.write(randomBytes(300_000))
    await until('bytes on disk', () => files().some((size) => size > 0))
    expect((await runCommand(['admin', 'user', 'list', '--data-dir', folder.path])).code).toBe(0)
    expect(files()).toHaveLength(1)
    await first.stop('SIGKILL')
    expect(files()).toHaveLength(1)
    const second = await startIngot(folder.path)
    expect(files()).toEqual([])
    const release = (await (await fetch(`${second.url}/api/v1/repos/admin/r/releases/${id}`)).json()) as {
      assets: unknown[]
    }
    expect(release.assets).toEqual([])
    expect(await second.stop()).toBe(0)
  })
})
