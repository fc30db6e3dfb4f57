// Checks .glb files with the Khronos validator. Usage: node tests/gltf.mjs FILE.glb...
import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';

let failures = 0;
for (const path of process.argv.slice(2)) {
  const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(path)), { maxIssues: 20 });
  const faulty = issues.numErrors + issues.numWarnings > 0;
  failures += faulty ? 1 : 0;
  console.log(`${path}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} infos; ` +
    `${info.totalTriangleCount} triangles, ${info.animationCount} animations`);
  if (faulty) console.log(issues.messages.map((m) => `  ${m.pointer}: ${m.message}`).join('\n'));
}
process.exit(failures ? 1 : 0);
