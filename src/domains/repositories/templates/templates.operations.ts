import { Type } from '@sinclair/typebox'
import { ok } from '../../../core/http/answer/answer.ts'
import { anyone } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { LABEL_SETS, gitignoreTemplates, licenseTemplates } from './templates.ts'
import {
  GitignoreTemplateInfo,
  LabelTemplate,
  LicensesTemplateListEntry,
  LicenseTemplateInfo,
} from './templates.model.ts'

const HOW_TO_LICENSE =
  'Create a text file (typically named LICENSE or LICENSE.txt) in the root of your source code and copy the text ' +
  'of the license into the file'

/** The templates of files and labels of new repositories (behaviour/users-and-admin#miscellaneous-endpoints). */
export function templateOperations({ site }: { readonly site: Site }): Operation[] {
  return [...gitignoreOperations(), ...licenseOperations(site), ...labelOperations()]
}

function gitignoreOperations(): Operation[] {
  return [
    defineOperation({
      id: 'listGitignoresTemplates',
      method: 'GET',
      path: '/gitignore/templates',
      area: 'miscellaneous',
      summary: 'Names of the ignore files',
      guard: anyone,
      responses: { 200: Type.Array(Type.String()) },
      handler: () => ok([...gitignoreTemplates().keys()]),
    }),
    defineOperation({
      id: 'getGitignoreTemplateInfo',
      method: 'GET',
      path: '/gitignore/templates/{name}',
      area: 'miscellaneous',
      summary: 'An ignore file',
      guard: anyone,
      responses: { 200: GitignoreTemplateInfo },
      errors: [404],
      handler: ({ params }) =>
        ok({
          name: params.name,
          source: getTemplate(gitignoreTemplates(), params.name),
        } satisfies GitignoreTemplateInfo),
    }),
  ]
}

function licenseOperations(site: Site): Operation[] {
  const entry = (name: string): LicensesTemplateListEntry => ({
    key: name,
    name,
    url: `${site.rootUrl()}/api/v1/licenses/${encodeURIComponent(name)}`,
  })
  return [
    defineOperation({
      id: 'listLicenseTemplates',
      method: 'GET',
      path: '/licenses',
      area: 'miscellaneous',
      summary: 'Licences',
      guard: anyone,
      responses: { 200: Type.Array(LicensesTemplateListEntry) },
      handler: () => ok([...licenseTemplates().keys()].map(entry)),
    }),
    defineOperation({
      id: 'getLicenseTemplateInfo',
      method: 'GET',
      path: '/licenses/{name}',
      area: 'miscellaneous',
      summary: 'A licence with its text',
      guard: anyone,
      responses: { 200: LicenseTemplateInfo },
      errors: [404],
      handler: ({ params }) =>
        ok({
          ...entry(params.name),
          implementation: HOW_TO_LICENSE,
          body: getTemplate(licenseTemplates(), params.name),
        } satisfies LicenseTemplateInfo),
    }),
  ]
}

function labelOperations(): Operation[] {
  return [
    defineOperation({
      id: 'listLabelTemplates',
      method: 'GET',
      path: '/label/templates',
      area: 'miscellaneous',
      summary: 'Names of the label sets',
      guard: anyone,
      responses: { 200: Type.Array(Type.String()) },
      handler: () => ok([...LABEL_SETS.keys()]),
    }),
    defineOperation({
      id: 'getLabelTemplateInfo',
      method: 'GET',
      path: '/label/templates/{name}',
      area: 'miscellaneous',
      summary: 'The labels of a set',
      guard: anyone,
      responses: { 200: Type.Array(LabelTemplate) },
      errors: [404],
      handler: ({ params }) => ok(getTemplate(LABEL_SETS, params.name)),
    }),
  ]
}

function getTemplate<T>(templates: ReadonlyMap<string, T>, name: string): T {
  const found = templates.get(name)
  if (found === undefined) throw notFound('template does not exist')
  return found
}
