import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Attribute, Change, Client } from 'ldapts'
import { createAuthority } from './certificates.ts'
import { freePort } from './free-port.ts'

const BASE = 'dc=example,dc=test'
export const PEOPLE = `ou=people,${BASE}`
export const GROUPS = `ou=groups,${BASE}`
/** The account that searches. */
export const READER = `cn=reader,${BASE}`
export const READER_PASSWORD = 'reader-secret'
/** Like the account that searches, but with the size limit that `restart` sets. */
const LIMITED = `cn=limited,${BASE}`
const ROOT = `cn=root,${BASE}`
const ROOT_PASSWORD = 'root-secret'
const START_DEADLINE_MS = 20_000

type Values = Readonly<Record<string, string | string[]>>

/** A real OpenLDAP server on free loopback ports. */
export interface TestDirectory {
  readonly port: number
  readonly securePort: number
  /** Certificate of the authority that certifies `localhost` and 127.0.0.1. */
  readonly caPem: string
  addPerson(uid: string, more?: Values & { readonly password?: string }): Promise<void>
  /** Replaces these attributes of a person. */
  change(uid: string, values: Values): Promise<void>
  addGroup(cn: string, members: readonly string[]): Promise<void>
  /** Adds entries in LDIF, many at once. */
  load(ldif: string): Promise<void>
  /** Connected as the administrator of the directory. */
  admin<T>(work: (client: Client) => Promise<T>): Promise<T>
  /** Writes a line of the configuration that lasts until the next start, such as `sizelimit 10`. */
  restart(...lines: string[]): Promise<void>
  stop(): Promise<void>
  /** Stops answering, without closing connections. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** Path of slapd, or of the program in INGOT_SLAPD; undefined where there is none. */
export function findSlapd(): string | undefined {
  const found = [process.env['INGOT_SLAPD'] ?? '', '/usr/sbin/slapd'].find((path) => path !== '' && existsSync(path))
  if (found === undefined) process.stderr.write('no slapd here: the tests with an LDAP directory are left out\n')
  return found
}

export const dnOf = (uid: string): string => `uid=${uid},${PEOPLE}`

export async function startDirectory(program: string): Promise<TestDirectory> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-ldap-'))
  const authority = await createAuthority()
  const pair = await authority.issue()
  const [port, securePort] = [await freePort(), await freePort()]
  const path = (name: string): string => join(dir, name)
  mkdirSync(path('db'))
  writeFileSync(path('cert.pem'), pair.cert)
  writeFileSync(path('key.pem'), pair.key)
  writeFileSync(path('ca.pem'), authority.pem)
  const configure = (lines: readonly string[]): void => writeFileSync(path('slapd.conf'), configuration(dir, lines))
  configure([])
  writeFileSync(path('start.ldif'), START)
  execFileSync(program, ['-T', 'add', '-q', '-f', path('slapd.conf'), '-l', path('start.ldif')], { stdio: 'pipe' })
  let child: ChildProcess | undefined
  const directory: TestDirectory = {
    port,
    securePort,
    caPem: authority.pem,
    async admin(work) {
      const client = new Client({ url: `ldap://127.0.0.1:${port}`, timeout: 10_000, connectTimeout: 2_000 })
      try {
        await client.bind(ROOT, ROOT_PASSWORD)
        return await work(client)
      } finally {
        await client.unbind()
      }
    },
    addPerson: (uid, { password = `${uid}-password`, ...more } = {}) =>
      directory.admin((client) =>
        client.add(dnOf(uid), {
          objectClass: ['inetOrgPerson', 'ldapPublicKey'],
          cn: `${uid} Person`,
          sn: 'Person',
          mail: `${uid}@corp.test`,
          userPassword: password,
          ...(more as Record<string, string | string[]>),
        }),
      ),
    change: (uid, values) =>
      directory.admin((client) =>
        client.modify(
          dnOf(uid),
          Object.entries(values).map(
            ([type, value]) =>
              new Change({ operation: 'replace', modification: new Attribute({ type, values: [value].flat() }) }),
          ),
        ),
      ),
    addGroup: (cn, members) =>
      directory.admin((client) =>
        client.add(`cn=${cn},${GROUPS}`, { objectClass: 'groupOfNames', member: [...members] }),
      ),
    async load(ldif) {
      await directory.stop()
      execFileSync(program, ['-T', 'add', '-q', '-f', path('slapd.conf')], { input: ldif, stdio: 'pipe' })
      await directory.restart()
    },
    async stop() {
      const running = child
      child = undefined
      if (running === undefined) return
      running.kill('SIGCONT')
      running.kill('SIGKILL')
      await once(running, 'exit')
    },
    async restart(...lines) {
      await directory.stop()
      configure(lines)
      const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${securePort}`
      child = spawn(program, ['-d', '0', '-f', path('slapd.conf'), '-h', urls], { stdio: 'ignore' })
      await untilAnswers(directory)
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async close() {
      await directory.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  await directory.restart()
  return directory
}

async function untilAnswers(directory: TestDirectory): Promise<void> {
  for (const end = Date.now() + START_DEADLINE_MS; ;) {
    try {
      await directory.admin(async () => undefined)
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await sleep(50)
    }
  }
}

const configuration = (dir: string, lines: readonly string[]): string => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
attributetype ( 1.3.6.1.4.1.24552.500.1.1.1.13 NAME 'sshPublicKey' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )
objectclass ( 1.3.6.1.4.1.24552.500.1.1.2.0 NAME 'ldapPublicKey' SUP top AUXILIARY MAY ( sshPublicKey $ uid ) )
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9 NAME 'user' SUP top AUXILIARY
  MAY ( sAMAccountName $ userAccountControl $ objectGUID ) )
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${dir}/pid
TLSCACertificateFile ${dir}/ca.pem
TLSCertificateFile ${dir}/cert.pem
TLSCertificateKeyFile ${dir}/key.pem
${lines.join('\n')}
database mdb
maxsize 1073741824
suffix "${BASE}"
rootdn "${ROOT}"
rootpw ${ROOT_PASSWORD}
directory ${dir}/db
dbnosync
index objectClass,uid,member,mail eq
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${READER}" read by dn.exact="${LIMITED}" read by self read by anonymous auth by * none
limits dn.exact="${READER}" size.pr=unlimited size.prtotal=unlimited
overlay memberof
`

const START = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ${PEOPLE}
objectClass: organizationalUnit
ou: people

dn: ${GROUPS}
objectClass: organizationalUnit
ou: groups

dn: ${READER}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${READER_PASSWORD}

dn: ${LIMITED}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: limited
userPassword: limited-secret
`
