import type { App } from '../app/modules.ts'
import { isTlsOn } from '../core/config/index.ts'
import { randomPassword } from '../core/platform/crypto/crypto.ts'
import { commandLine } from '../domains/accounts/index.ts'

/** Says where the server is and, when there is no user yet, makes the first administrator. */
export async function welcome(app: App): Promise<string> {
  const url = app.site.rootUrl()
  const lines = [`Ingot is listening at ${url}`]
  if ((await app.users.count()) === 0) {
    const password = randomPassword(app.config.security.min_password_length)
    await app.users.create(commandLine, { name: 'admin', email: 'admin@localhost', password, isAdmin: true })
    lines.push(
      '',
      `Made the first administrator:   admin   password: ${password}`,
      'The password is shown this once. Next:',
      `  curl -u admin:${password} -H 'content-type: application/json' -d '{"name":"hello","auto_init":true}' ${url}/api/v1/user/repos`,
      `  git clone ${url}/admin/hello.git`,
    )
    if (!isTlsOn(app.config.tls))
      lines.push(
        '',
        'For HTTPS, two lines in the configuration file are enough (docs/operate/https.md):',
        '  server.root_url = "https://git.example.org"',
        '  tls.acme = true',
      )
  }
  if (app.config.api.enable_swagger) lines.push('', `API reference: ${url}/api/swagger`)
  return lines.join('\n')
}
