import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Folder, makeDataDir, type Ran, runCommand, serveHere, temporaryFolder } from '../harness/process.ts'

let folder: Folder
let data: string
beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
  makeDataDir(data)
})
afterEach(() => folder.remove())

const auth = (line: string): Promise<Ran> => runCommand(['admin', 'auth', ...line.split(' '), '--data-dir', data])
const ADD = 'add-oidc --name sso --issuer https://sso.example.test --client-id ingot'

function settingsFile(settings: unknown): string {
  const file = join(folder.path, 'oidc.json')
  writeFileSync(file, JSON.stringify(settings))
  return file
}

it('a provider is added and changed on the command line', async () => {
  const file = settingsFile({ scopes: ['openid', 'groups'], groups_claim: 'groups', registration: 'off' })
  expect(await auth(`${ADD} --client-secret s --registration on --settings ${file}`)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Created the sign-in source sso with the id \d+\.\n$/),
  })
  const secretFile = join(folder.path, 'secret')
  writeFileSync(secretFile, 'from-a-file\n')
  expect(await auth(`update-oidc --name sso --client-secret-file ${secretFile}`)).toMatchObject({ code: 0 })
  expect(await auth(`update-oidc --name sso --client-secret-file ${secretFile}.missing`)).toMatchObject({ code: 2 })
  expect(await auth('update-oidc --name SSO --new-name Company --no-active --client-id other')).toMatchObject({
    code: 0,
  })
  expect(await auth('update-oidc --name sso')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no sign-in source sso'),
  })
  expect(
    await runCommand(
      `admin user create --username root --email root@example.test --admin --password Corr3ct-horse! --data-dir ${data}`.split(
        ' ',
      ),
    ),
  ).toMatchObject({ code: 0 })
  const server = await serveHere(data)
  const answer = await fetch(`${server.url}/api/v1/admin/auth-sources`, {
    headers: { authorization: `Basic ${Buffer.from('root:Corr3ct-horse!').toString('base64')}` },
  })
  expect(await answer.json()).toMatchObject([
    {
      name: 'Company',
      kind: 'oidc',
      is_active: false,
      oidc: {
        issuer: 'https://sso.example.test',
        client_id: 'other',
        has_client_secret: true,
        registration: 'on',
        scopes: ['openid', 'groups'],
      },
    },
  ])
  await server.stop()
})

it('settings that cannot be right are refused, and nothing is stored', async () => {
  for (const [settings, reason] of [
    [{ scope: 'openid' }, 'unknown setting scope'],
    [{ scopes: 'openid' }, 'scopes'],
    [[], 'not a JSON object'],
    [{ scopes: ['email'] }, 'scopes'],
    [{ registration: 'maybe' }, 'must be off, on or domains'],
  ] as const)
    expect(await auth(`${ADD} --settings ${settingsFile(settings)}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(reason),
    })
  expect(await auth(`${ADD} --settings ${join(folder.path, 'missing.json')}`)).toMatchObject({ code: 2 })
  expect(await auth('update-oidc --name sso')).toMatchObject({ code: 1 })
})
