import type { Core, Services } from '../../../core/module.ts'
import { type Html, safeHtml } from '../../../core/platform/html.ts'
import { getReadablePackageOwner } from '../../packages/index.ts'
import { list, type PageMaker, size, timeOf, when } from './layout.ts'
import { account } from './issues/entries.ts'

interface PackagePageDeps extends Pick<Core, 'database' | 'site'> {
  readonly packageAttestations: Services['packageAttestations']
  readonly packages: Pick<Services['packages'], 'files' | 'get'>
  readonly users: Pick<Services['users'], 'getInView'>
}

interface Place {
  /** The address of the registries of the owner. */
  readonly at: string
  readonly host: string
  readonly owner: string
  readonly name: string
  readonly version: string
}

const MAX_FILES = 1000
const MAX_ATTESTATIONS = 100

/** How a package manager installs a version, by type; its registry is set up as docs/guide/packages.md says. */
const COMMANDS: Readonly<Record<string, (place: Place) => string>> = {
  alpine: ({ name, version }) => `apk add ${name}=${version}`,
  arch: ({ name }) => `pacman -S ${name}`,
  cargo: ({ owner, name, version }) => `cargo add --registry ${owner} ${name}@${version}`,
  chef: ({ at, name, version }) => `knife supermarket download ${name} ${version} -m ${at}/chef`,
  composer: ({ name, version }) => `composer require ${name}:${version}`,
  conan: ({ owner, name, version }) => `conan install --remote ${owner} --requires ${name}/${version}`,
  container: ({ host, owner, name, version }) =>
    `docker pull ${host}/${owner.toLowerCase()}/${name}${version.startsWith('sha256:') ? '@' : ':'}${version}`,
  cran: ({ at, name }) => `Rscript -e 'install.packages("${name}", repos = "${at}/cran")'`,
  debian: ({ name, version }) => `apt install ${name}=${version}`,
  go: ({ at, name, version }) => `GOPROXY=${at}/go,direct go get ${name}@${version}`,
  helm: ({ at, name, version }) => `helm install ${name} ${name} --repo ${at}/helm --version ${version}`,
  maven: ({ at, name, version }) => `mvn dependency:get -Dartifact=${name}:${version} -DremoteRepositories=${at}/maven`,
  npm: ({ at, name, version }) => `npm install ${name}@${version} --registry ${at}/npm/`,
  nuget: ({ at, name, version }) => `dotnet add package ${name} --version ${version} --source ${at}/nuget/index.json`,
  pub: ({ at, name, version }) => `dart pub add ${name}:${version} --hosted-url ${at}/pub`,
  pypi: ({ at, name, version }) => `pip install --index-url ${at}/pypi/simple/ ${name}==${version}`,
  rpm: ({ name, version }) => `dnf install ${name}-${version}`,
  rubygems: ({ at, name, version }) => `gem install --source ${at}/rubygems ${name} --version ${version}`,
  swift: ({ name, version }) => `.package(id: "${name}", exact: "${version}")`,
  vagrant: ({ at, name, version }) => `vagrant box add ${at}/vagrant/${name} --box-version ${version}`,
}

/** Names and versions that mean nothing else to a shell. */
const PLAIN = /^[\w.+:@/~-]+$/

type Attestation = Awaited<ReturnType<PackagePageDeps['packageAttestations']['run']>>[number][number]

const attestationList = (all: readonly Attestation[]): Html =>
  safeHtml`<h2>Attestations</h2>
<p class="note">What its publishers say about this version. The server has verified neither signatures nor statements.</p>
${list(
  all.slice(0, MAX_ATTESTATIONS),
  ({ type, name, size: bytes, claims }) =>
    safeHtml`${type} <small>${name}, ${size(bytes)}</small>${Object.entries(claims).map(
      ([field, text]) => safeHtml`<br><small>${field}: ${text}</small>`,
    )}`,
  '',
)}
${all.length > MAX_ATTESTATIONS ? safeHtml`<p class="note">Only the first ${MAX_ATTESTATIONS} are listed.</p>` : ''}`

/** `/{owner}/-/packages/{type}/{name}/{version}`. */
export const packagePage =
  (deps: PackagePageDeps): PageMaker =>
  async (context) => {
    const { viewer, params, base } = context
    const owner = await getReadablePackageOwner(deps, viewer, params.owner)
    const [type = '', ...parts] = params.rest.split('/')
    const [version = '', name] = [parts.pop(), parts.join('/')]
    const view = await deps.packages.get(viewer, owner, { type, name, version })
    const files = await deps.packages.files(owner, { type, name, version })
    const attestations = (await deps.packageAttestations.run(view.version)).flat()
    const root = deps.site.rootUrl()
    const place = {
      ...view.version,
      owner: owner.name,
      at: `${root}/api/packages/${owner.name}`,
      host: new URL(root).host,
    }
    const command = PLAIN.test(`${place.name}${place.version}`) ? COMMANDS[view.version.type]?.(place) : undefined
    const title = `${place.name} ${place.version}`
    return {
      title: `${title} · ${owner.name}`,
      body: safeHtml`<h1><a href="${base}/${owner.name}">${owner.name}</a>: ${title}</h1>
<dl><dt>Type</dt><dd>${view.version.type}</dd>
<dt>Published</dt><dd>${view.creator ? account(context, { id: view.creator.id, login: view.creator.name }) : 'Ghost'}, ${timeOf(view.version.createdAt)}</dd>
${when(view.repo?.repo.fullName, (repo) => safeHtml`<dt>Repository</dt><dd><a href="${base}/${repo}">${repo}</a></dd>`)}</dl>
${when(command, (text) => safeHtml`<h2>Install</h2>\n<pre tabindex="0">${text}</pre>`)}
${when(attestations[0], () => attestationList(attestations))}
<h2>Files</h2>
${list(
  files.slice(0, MAX_FILES),
  (file) => safeHtml`${file.name} <small>${size(file.size)}, SHA-256 <code>${file.sha256}</code></small>`,
  'No files.',
)}
${files.length > MAX_FILES ? safeHtml`<p class="note">Only the first ${MAX_FILES} are listed.</p>` : ''}`,
    }
  }
