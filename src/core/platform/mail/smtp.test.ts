import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMailReceiver, type MailReceiver } from '../../../../test/harness/mail-server.ts'
import { type Mail, MailRefusedError, parseMailAddress, createSmtpServer, type SmtpSettings } from './mail.ts'

const mail: Mail = {
  from: { name: 'Änn, "the" Builder', address: 'git@example.test' },
  to: { name: 'bob', address: 'bob@example.test' },
  subject: '[ann/r] Grüße (#1)',
  text: 'Hello – you\n',
  html: '<p>Hello – you</p>',
  messageId: 'issue/1/comment/2@example.test',
  references: ['issue/1@example.test'],
  headers: { 'List-ID': 'ann/r <r.ann.example.test>' },
}

const settings = (port: number, changes: Partial<SmtpSettings> = {}): SmtpSettings => ({
  protocol: 'smtp',
  host: '127.0.0.1',
  port,
  user: '',
  password: '',
  ca: '',
  ...changes,
})

async function send(given: SmtpSettings, signal = new AbortController().signal): Promise<void> {
  const connection = await createSmtpServer(given).connect()
  try {
    await connection.send(mail, signal)
  } finally {
    connection.close()
  }
}

describe('mail by SMTP', () => {
  let dir: string
  let tls: { readonly key: Buffer; readonly cert: Buffer }
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-smtp-'))
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
    const how = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
    const args = [...how.split(' '), '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert]
    execFileSync('openssl', args, { stdio: 'ignore' })
    tls = { key: readFileSync(key), cert: readFileSync(cert) }
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  const during = async (receiver: MailReceiver, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } finally {
      await receiver.close()
    }
  }

  it('arrives with both parts, its thread and its headers', async () => {
    const receiver = await startMailReceiver()
    await during(receiver, async () => {
      await send(settings(receiver.port))
      const [got] = receiver.mails
      expect(got).toMatchObject({ to: 'bob@example.test', text: 'Hello – you', html: '<p>Hello – you</p>' })
      expect(got!.headers).toMatchObject({
        'message-id': '<issue/1/comment/2@example.test>',
        'in-reply-to': '<issue/1@example.test>',
        references: '<issue/1@example.test>',
        'list-id': 'ann/r <r.ann.example.test>',
        subject: '[ann/r] Grüße (#1)',
      })
      expect(got!.headers['from']).toContain('<git@example.test>')
    })
  })

  it('signs in over TLS, and only to a server whose certificate is trusted', async () => {
    const logins: string[] = []
    const receiver = await startMailReceiver({
      ...tls,
      authOptional: false,
      disabledCommands: [],
      onAuth({ username, password }, _, done) {
        logins.push(`${username}:${password}`)
        done(null, { user: username })
      },
    })
    await during(receiver, async () => {
      const given = { protocol: 'starttls', host: 'localhost', user: 'ingot', password: 'secret' } as const
      await send(settings(receiver.port, { ...given, ca: tls.cert.toString() }))
      await expect(send(settings(receiver.port, given))).rejects.toThrow(/certificate/)
      expect(logins).toEqual(['ingot:secret'])
      expect(receiver.mails).toHaveLength(1)
    })
  })

  it('begins with TLS by smtps', async () => {
    const receiver = await startMailReceiver({ ...tls, secure: true })
    await during(receiver, async () => {
      await send(settings(receiver.port, { protocol: 'smtps', host: 'localhost', ca: tls.cert.toString() }))
      expect(receiver.mails).toHaveLength(1)
    })
  })

  it('is not sent unencrypted when the settings require STARTTLS', async () => {
    const receiver = await startMailReceiver()
    await during(receiver, async () => {
      await expect(send(settings(receiver.port, { protocol: 'starttls' }))).rejects.toThrow()
      expect(receiver.mails).toEqual([])
    })
  })

  it('is refused for good by 5xx replies to the recipient, and may be tried again after 4xx replies', async () => {
    const receiver = await startMailReceiver()
    await during(receiver, async () => {
      receiver.refuse = () => 550
      await expect(send(settings(receiver.port))).rejects.toThrow(MailRefusedError)
      receiver.refuse = () => 450
      const error: unknown = await send(settings(receiver.port)).catch((problem: unknown) => problem)
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(MailRefusedError)
    })
  })

  it('does not count as refused when the sign-in is refused', async () => {
    const receiver = await startMailReceiver({
      ...tls,
      disabledCommands: [],
      onAuth: (_, __, done) => done(new Error('no')),
    })
    await during(receiver, async () => {
      const given = settings(receiver.port, {
        protocol: 'starttls',
        host: 'localhost',
        user: 'x',
        ca: tls.cert.toString(),
      })
      const error: unknown = await send(given).catch((problem: unknown) => problem)
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(MailRefusedError)
    })
  })

  it.each(['169.254.169.254', 'fe80::1', '0.0.0.0'])('does not go to %s', async (host) => {
    await expect(send(settings(25, { host }))).rejects.toThrow(`connections to ${host} are not allowed by the mailer`)
  })

  it('ends with its signal', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    await expect(send(settings(port), AbortSignal.timeout(50))).rejects.toThrow(
      expect.objectContaining({ code: 'EABORT' }),
    )
    silent.close()
  })

  it.each([
    ['Ingot <git@example.test>', { name: 'Ingot', address: 'git@example.test' }],
    ['"In, got" <git@example.test>', { name: 'In, got', address: 'git@example.test' }],
    ['<git@example.test>', { name: '', address: 'git@example.test' }],
    ['git@example.test', { name: '', address: 'git@example.test' }],
  ])('%j names a sender', (text, expected) => {
    expect(parseMailAddress(text)).toEqual(expected)
  })
})
