import { expect, it } from 'vitest'
import { expandPath, expandVariables, templateVariables } from './template-variables.policy.ts'

const party = (name: string, owner: string) => ({
  name,
  owner,
  description: `about ${name}`,
  link: `/${owner}/${name}`,
  httpsUrl: `https://x.test/${owner}/${name}.git`,
  sshUrl: `git@x.test:${owner}/${name}.git`,
})
const variables = templateVariables({
  now: new Date('2026-03-07T23:00:00Z'),
  repo: party('MyCopy', 'bob'),
  template: party('tpl', 'ann'),
})

it('expands names in both forms, unknown ones to their bare name and double dollars to one', async () => {
  expect(
    await expandVariables('${REPO_NAME} $REPO_OWNER $UNKNOWN $$5 ${NOT} $ $1 ${TEMPLATE_DESCRIPTION}', variables),
  ).toBe('MyCopy bob UNKNOWN $5 NOT $ $1 about tpl')
  expect(
    await expandVariables('$YEAR-$MONTH-$DAY $MONTH_ENGLISH_UPPER ${TEMPLATE_SSH_URL} $REPO_LINK', variables),
  ).toBe('2026-03-07 MARCH git@x.test:ann/tpl.git /bob/MyCopy')
})

it('converts the case of names', async () => {
  const suffixes = ['SNAKE', 'KEBAB', 'CAMEL', 'PASCAL', 'LOWER', 'UPPER', 'TITLE']
  const cases = await Promise.all(suffixes.map((suffix) => expandVariables(`$REPO_NAME_${suffix}`, variables)))
  expect(cases).toEqual(['my_copy', 'my-copy', 'myCopy', 'MyCopy', 'mycopy', 'MYCOPY', 'MyCopy'])
  const odd = templateVariables({
    now: new Date(0),
    repo: party('two words.v2', 'x'),
    template: party('HTTPServer', 'y'),
  })
  expect(await expandVariables('$REPO_NAME_PASCAL $TEMPLATE_NAME_SNAKE $REPO_NAME_TITLE', odd)).toBe(
    'TwoWordsV2 http_server Two Words.V2',
  )
})

it('removes path parts that leave the tree or are reserved names', () => {
  const evil = templateVariables({
    now: new Date(0),
    repo: { ...party('..', 'b'), description: '../../etc/passwd\0' },
    template: party('.git', 'a'),
  })
  expect(expandPath('src/${REPO_DESCRIPTION}/x', evil)).toBe('src/__/__/etc/passwd_/x')
  expect(expandPath('$TEMPLATE_NAME/hooks', evil)).toBe('_git/hooks')
  expect(expandPath('$REPO_NAME/a', evil)).toBe('__/a')
  expect(expandPath('$REPO_LINK/./a:b', variables)).toBe('bob/MyCopy/a_b')
})

it('refuses a text that becomes much longer', async () => {
  const long = new Map([['REPO_DESCRIPTION', 'x'.repeat(2048)]])
  expect(await expandVariables('$REPO_DESCRIPTION '.repeat(1000), long)).toHaveLength(2_049_000)
  await expect(expandVariables('$REPO_DESCRIPTION '.repeat(60_000), long)).rejects.toThrow('a file becomes too large')
})
