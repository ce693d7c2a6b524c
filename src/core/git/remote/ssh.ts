import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../disk/layout.ts'

/** Files that one run of ssh needs. */
export interface SshFiles {
  readonly keyFile: string
  /** Host keys, taken at the first meeting and demanded from then on. */
  readonly knownHosts: string
}

/** Puts the key of a remote into a file for as long as the task runs; a crash leaves it to the clean-up of staging. */
export async function withSshFiles<T>(
  layout: Layout,
  privateKey: string | undefined,
  task: (files: SshFiles | undefined) => Promise<T>,
): Promise<T> {
  if (privateKey === undefined) return task(undefined)
  const keyFile = layout.stagingPath()
  await writeFile(keyFile, privateKey, { mode: 0o600, flag: 'wx' })
  try {
    return await task({ keyFile, knownHosts: join(layout.staging, '..', 'known_hosts') })
  } finally {
    await rm(keyFile, { force: true })
  }
}

/** The checked address, this key and nothing of the machine's configuration. */
function sshOptions(url: URL, address: string, { keyFile, knownHosts }: SshFiles): string[] {
  const alias = url.port === '' ? url.hostname : `[${url.hostname}]:${url.port}`
  const options = {
    HostName: address,
    HostKeyAlias: alias,
    UserKnownHostsFile: quoted(knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'accept-new',
    IdentityFile: quoted(keyFile),
    IdentitiesOnly: 'yes',
    PreferredAuthentications: 'publickey',
    BatchMode: 'yes',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '30',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
  }
  return ['-F', '/dev/null', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
}

/** What git runs in place of ssh. NOTE: git hands it to a shell. */
export const sshCommand = (url: URL, address: string, files: SshFiles): string =>
  ['ssh', ...sshOptions(url, address, files).map(shellQuoted)].join(' ')

/** Arguments that run a command on the other server, which reads `path` as one word. */
export function sshArguments(
  url: URL,
  address: string,
  { files, command }: { readonly files: SshFiles; readonly command: (path: string) => string },
): string[] {
  const user = decodeURIComponent(url.username) || 'git'
  const port = url.port === '' ? [] : ['-p', url.port]
  return [
    ...sshOptions(url, address, files),
    ...port,
    '-l',
    user,
    '--',
    url.hostname,
    command(shellQuoted(decodeURIComponent(url.pathname.replace(/^\//, '')))),
  ]
}

/** For ssh's own reading of a value, in which a blank ends a file name and % begins a placeholder. */
const quoted = (path: string): string => `"${path.replaceAll('%', '%%')}"`
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
