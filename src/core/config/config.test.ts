import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, exampleConfig, loadConfig, showConfig } from './index.ts'
import { environmentName, listSettings } from './schema.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-config-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let files = 0
const file = (text: string): string => {
  const path = join(dir, `${files++}.toml`)
  writeFileSync(path, text)
  return path
}

describe('configuration', () => {
  it('has a default for everything', () => {
    const config = loadConfig()
    expect(config).toMatchObject({
      data_dir: expect.any(String),
      server: { host: '127.0.0.1', port: 3000 },
      api: { default_paging_num: 30, max_response_items: 50 },
    })
    for (const { section, key } of listSettings())
      expect(
        section === '' ? config[key as 'data_dir'] : (config as never)[section][key],
        `${section}.${key}`,
      ).toBeDefined()
  })

  it('starts the example with settings that exist', () => {
    const head = exampleConfig().split('\n\n', 1)[0]!
    const named = [...head.matchAll(/[a-z]\w*\.\w+/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(20)
    expect(listSettings().map(({ path }) => path)).toEqual(expect.arrayContaining(named))
  })

  it('applies the file over defaults, the environment over the file, flags over all', () => {
    const path = file('[server]\nport = 1\nhost = "a"\n[api]\nenable_swagger = false\n')
    const environment = { INGOT_SERVER_PORT: '2', INGOT_API_ENABLE_SWAGGER: 'yes' }
    expect(loadConfig({ file: path })).toMatchObject({ server: { port: 1, host: 'a' }, api: { enable_swagger: false } })
    expect(loadConfig({ file: path, environment })).toMatchObject({
      server: { port: 2, host: 'a' },
      api: { enable_swagger: true },
    })
    expect(loadConfig({ file: path, environment, flags: { 'server.port': '3' } }).server.port).toBe(3)
    expect(loadConfig({ environment: { INGOT_CONFIG: path } }).server.port).toBe(1)
  })

  it.each([
    ['[server]\nprot = 1', /unknown setting server\.prot/],
    ['[sever]\nport = 1', /unknown setting sever/],
    ['[server]\nrooturl = "x"', /did you mean server\.root_url\?/],
    ['[server]\nport = "x"', /server\.port is "x"; allowed: an integer from 0 to 65535/],
    ['[server]\nport = 70000', /server\.port is 70000/],
    ['[api]\nenable_swagger = 1', /api\.enable_swagger is 1; allowed: true, false/],
    ['server = 3', /^\S+\.toml:1: server is 3; allowed: a section$/],
    ['[server\nport', /\.toml:1: /],
    ['[git]\ntimeout = 60', /^\S+\.toml:2: git\.timeout is no longer a setting: it is always 600 seconds; remove it$/],
    ['[stream]\nmax_total = 5', /^\S+\.toml:1: stream is no longer a setting: a process always allows 2000 streams/],
  ])('%j stops the start with a message', (text, message) => {
    expect(() => loadConfig({ file: file(text) })).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringMatching(message) }),
    )
  })

  it.each([
    [{ INGOT_SERVER_PROT: '1' }, 'unknown environment variable INGOT_SERVER_PROT'],
    [{ INGOT_STREAM_MAX_TOTAL: '1' }, 'INGOT_STREAM_MAX_TOTAL: stream.max_total is no longer a setting'],
    [{ INGOT_SERVER_PORT: 'x' }, 'INGOT_SERVER_PORT: server.port is "x"'],
    [{ INGOT_API_ENABLE_SWAGGER: 'perhaps' }, 'allowed: true, false'],
    [{ INGOT_CONFIG: '/nonexistent/ingot.toml' }, 'cannot read the configuration file'],
  ])('%j stops the start', (environment, message) => {
    expect(() => loadConfig({ environment })).toThrow(message)
    expect(() => loadConfig({ environment })).toThrow(ConfigError)
  })

  it('reports every problem with its source and line', () => {
    const path = file(
      [
        'data_dir = ""',
        '# port = 1',
        '[server]',
        `host = '''`,
        'rooturl = 3',
        "'''",
        'port = 70000',
        'prot = 1',
        '[ sever ]',
        '[database]',
        'url = "mysql://user:hidden@host/db"',
      ].join('\n'),
    )
    const sources = {
      file: path,
      environment: { INGOT_API_ENABLE_SWAGGER: 'perhaps', INGOT_LOG_LEVEL: 'loud', INGOT_X: '1' },
      flags: { 'server.shutdown_delay': '-3', 'ssh.prot': '22', 'git.max_processes': '4' },
    }
    const said = ((): string[] => {
      try {
        loadConfig(sources)
        return []
      } catch (error) {
        return [...(error as ConfigError).problems]
      }
    })()
    expect(said.toSorted()).toEqual(
      [
        `${path}:1: data_dir is ""; allowed: a non-empty string`,
        `${path}:7: server.port is 70000; allowed: an integer from 0 to 65535`,
        `${path}:8: unknown setting server.prot`,
        `${path}:9: unknown setting sever`,
        `${path}:11: database.url is not valid; allowed: a string that matches ^$|^(sqlite:|postgres(ql)?://)`,
        'INGOT_API_ENABLE_SWAGGER: api.enable_swagger is "perhaps"; allowed: true, false',
        'INGOT_LOG_LEVEL: log.level is "loud"; allowed: fatal, error, warn, info, debug, trace, silent',
        'unknown environment variable INGOT_X',
        '--server.shutdown_delay: server.shutdown_delay is -3; allowed: an integer from 0 to 300',
        '--set: git.max_processes is no longer a setting: it is always 16; remove it',
        '--set: unknown setting ssh.prot',
      ].toSorted(),
    )
    expect(() => loadConfig(sources)).toThrow(/^11 problems in the configuration:\n {2}/)
  })

  it('reports a syntax error with its line, and the problems of other sources', () => {
    const path = file('[server]\n\nport = = 3')
    expect(() => loadConfig({ file: path, environment: { INGOT_X: '1' } })).toThrow(
      new RegExp(`^2 problems in the configuration:\\n  ${path}:3: .+\\n  unknown environment variable INGOT_X$`),
    )
  })

  it('has a variable for every setting', () => {
    const variables = listSettings().map(environmentName)
    expect(new Set(variables).size).toBe(variables.length)
    for (const variable of variables) expect(variable).toMatch(/^INGOT_[A-Z0-9_]+$/)
  })

  it('is explained by an example with the defaults', () => {
    expect(loadConfig({ file: file(exampleConfig()) })).toEqual(loadConfig())
    const lines = exampleConfig().split('\n')
    for (const [index, line] of lines.entries())
      if (/^# \w+ = /.test(line))
        expect(loadConfig({ file: file(lines.with(index, line.slice(2)).join('\n')) }), line).toEqual(loadConfig())
    const uncommented = exampleConfig().replaceAll(/^# ?(\w+ = .*)$/gm, '$1')
    expect(loadConfig({ file: file(uncommented) })).toEqual(loadConfig())
  })

  it('accepts lists of numbers as the example shows them', () => {
    expect(exampleConfig()).toContain('a list of integers from 1, such as [1, 2]. Environment: INGOT_SERVICE_LOGIN')
    for (const sources of [
      { file: file('[service]\nlogin_sources = [1, 2]') },
      { environment: { INGOT_SERVICE_LOGIN_SOURCES: '1, 2' } },
    ])
      expect(loadConfig(sources).service.login_sources).toEqual([1, 2])
    expect(() => loadConfig({ environment: { INGOT_SERVICE_LOGIN_SOURCES: 'ldap' } })).toThrow(
      'a list of integers from 1',
    )
  })

  it('is shown without secrets', () => {
    const output = showConfig(
      loadConfig({
        environment: {
          INGOT_DATABASE_URL: 'postgres://u:secret1@host/db',
          INGOT_MAILER_PASSWORD: 'secret2',
          INGOT_SECURITY_FORMER_SECRET_KEYS: 'secret3',
          INGOT_SECURITY_SECRET_KEY: 'secret4',
          INGOT_SIGNING_PASSPHRASE: 'secret5',
          INGOT_STORAGE_SECRET_KEY: 'secret6',
          INGOT_WEBHOOK_PROXY_URL: 'http://u:secret7@proxy',
        },
      }),
    )
    expect(output).not.toMatch(/secret\d/)
    expect(output).toContain('http://u:[redacted]@proxy')
  })
})
