// Builds dist/template.html: the page with its script and style inside, so that one file is all there is.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const here = (path) => new URL(path, import.meta.url).pathname;

const { outputFiles } = await build({
  entryPoints: [here('src/main.ts')],
  absWorkingDir: here('.'),
  outdir: here('dist'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  write: false,
});
const output = (extension) => outputFiles.find((file) => file.path.endsWith(extension)).text.trim();

// Text inside <script> ends at the first "</script", and "<!--" changes how it is read.
const script = output('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const html = readFileSync(here('index.html'), 'utf8')
  .replace('</head>', () => `<style>\n${output('.css')}\n</style>\n</head>`)
  .replace(/<script type="module" src="[^"]*"><\/script>/, () => `<script type="module">\n${script}\n</script>`);

if (/<(script|link)[^>]*(src|href)="(?!data:)/.test(html)) throw new Error('the page still refers to other files');
if (html.split('/*ACHILLES_DATA*/').length !== 2) throw new Error('the marker must stand in the page exactly once');
mkdirSync(here('dist'), { recursive: true });
writeFileSync(here('dist/template.html'), html);
console.log(`dist/template.html: ${Math.round(html.length / 1024)} kB`);
