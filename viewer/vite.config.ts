import { defineConfig, type Plugin } from 'vite';

// Puts script and style into the page itself, so that one file is all there is.
function inline(): Plugin {
  return {
    name: 'inline',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find((file) => file.fileName.endsWith('.html'));
      if (!page || page.type !== 'asset') throw new Error('no page in the bundle');
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === 'chunk') {
          const code = file.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
          html = html.replace(/<script type="module"[^>]*><\/script>\s*/, '');
          html = html.replace('</body>', () => `<script type="module">\n${code}\n</script>\n</body>`);
          delete bundle[name];
        } else if (name.endsWith('.css')) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>\n${file.source}\n</style>`);
          delete bundle[name];
        }
      }
      if (/<(script|link)[^>]*(src|href)="(?!data:)/.test(html)) throw new Error('the page still refers to other files');
      if (html.split('/*ACHILLES_DATA*/').length !== 2) throw new Error('the marker must stand in the page exactly once');
      page.source = html;
      page.fileName = 'template.html';
    },
  };
}

export default defineConfig({
  base: './',
  build: { target: 'es2022', cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 2000 },
  plugins: [inline()],
});
