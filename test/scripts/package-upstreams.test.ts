import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Folder, makeDataDir, type Ran, runCommand, serveHere, temporaryFolder } from '../harness/process.ts'

const PASSWORD = 'Corr3ct-horse!'
const HOSTS = 'packages.upstream_hosts=registry.example.org'

let folder: Folder
let data: string
beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
  makeDataDir(data)
})
afterEach(() => folder.remove())

const admin = (line: string, hosts = HOSTS): Promise<Ran> =>
  runCommand(['admin', ...line.split(' '), '--data-dir', data, '--set', hosts])
const upstream = (line: string, hosts = HOSTS): Promise<Ran> => admin(`packages upstream ${line}`, hosts)

it('upstreams are set, listed and deleted on the command line', async () => {
  await admin(`user create --username ann --email ann@example.test --password ${PASSWORD} --admin`)
  const file = join(folder.path, 'password')
  writeFileSync(file, 'secret\n')
  const set = 'set --owner Ann --type npm --url https://registry.example.org/npm/'
  expect(await upstream(`${set} --allow left* --allow @types/* --min-age-days 7 --password-file ${file}`)).toEqual({
    code: 0,
    stdout: 'Packages of the type npm are read from https://registry.example.org/npm too.\n',
    stderr: '',
  })
  expect((await upstream('set --owner ann --type go --url https://registry.example.org --offline')).code).toBe(0)
  expect((await upstream('list --owner ann')).stdout).toBe(
    'go\thttps://registry.example.org\t\t0\toffline\n' +
      'npm\thttps://registry.example.org/npm\tleft*,@types/*\t7\tonline\n',
  )
  expect(await upstream('delete --owner ann --type go')).toMatchObject({ code: 0 })
  expect(await upstream('delete --owner ann --type go')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no upstream of this type'),
  })
  const entries = (await admin('audit --action package-upstream')).stdout.trim().split('\n')
  expect(entries.map((line) => JSON.parse(line))).toMatchObject([
    { action: 'package-upstream.saved' },
    { action: 'package-upstream.saved' },
    { action: 'package-upstream.deleted' },
  ])
  const server = await serveHere(data)
  const answer = await fetch(`${server.url}/api/v1/packages/ann/-/upstreams`, {
    headers: { authorization: `Basic ${btoa(`ann:${PASSWORD}`)}` },
  })
  expect(await answer.json()).toMatchObject([
    { type: 'npm', allow: ['left*', '@types/*'], min_age_days: 7, offline: false, has_credentials: true },
  ])
  await server.stop()
})

it('upstreams that the API would refuse are refused', async () => {
  await admin(`user create --username ann --email ann@example.test --password ${PASSWORD}`)
  const url = '--url https://registry.example.org'
  const refused = [
    [`set --owner ann --type npm ${url} --min-age-days x`, 2, '--min-age-days'],
    [`set --owner ann --type npm ${url} --min-age-days 4000`, 2, '--min-age-days'],
    [`set --owner ann --type npm ${url} --password-file ${data}/none`, 2, 'cannot read'],
    ['set --owner ann --type npm', 2, '--url must be given'],
    [`set --owner bob --type npm ${url}`, 1, 'there is no user or organization bob'],
    [`set --owner ann --type debian ${url}`, 1, 'cannot have an upstream'],
    [`set --owner ann --type go ${url} --min-age-days 1`, 1, 'min_age_days'],
    ['set --owner ann --type npm --url ftp://registry.example.org', 1, 'url: is not an HTTP address'],
  ] as const
  for (const [line, code, message] of refused)
    expect([line, await upstream(line)]).toMatchObject([line, { code, stderr: expect.stringContaining(message) }])
  expect(await upstream(`set --owner ann --type npm ${url}`, 'packages.upstream_hosts=')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('packages.upstream_hosts'),
  })
  expect((await upstream('list --owner ann')).stdout).toBe('')
})
