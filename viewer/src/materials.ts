// Surfaces. Patterns are drawn in the shader so that a turning ball is seen to turn and the edges of a box are crisp.

import * as THREE from 'three';
import type { Pattern } from './geometry';

const kVertexHead = 'varying vec3 vUnit; varying vec3 vSize;\n';
const kVertexBody = `
  vUnit = position;
  #ifdef USE_INSTANCING
    vSize = vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));
  #else
    vSize = vec3(1.0);
  #endif
`;

// `shade` multiplies the colour; distances are in the body's own units, widths at least about a pixel.
const kShade: Record<Pattern, string> = {
  plain: '',
  box: `
    vec3 d = (0.5 - abs(vUnit)) * vSize;
    float edge = max(min(d.x, d.y), min(max(d.x, d.y), d.z));
    float size = min(vSize.x, min(vSize.y, vSize.z));
    float width = clamp(1.4 * fwidth(edge), 0.02 * size, 0.3 * size);
    shade = mix(0.62, 1.0, smoothstep(0.3 * width, width, edge));`,
  sphere: `
    float octant = vUnit.x * vUnit.y * vUnit.z;
    shade = mix(0.74, 1.0, smoothstep(-1.0, 1.0, octant / max(fwidth(octant), 1e-4)));`,
  round: `
    float sector = vUnit.x * vUnit.y;
    shade = mix(0.8, 1.0, smoothstep(-1.0, 1.0, sector / max(fwidth(sector), 1e-4)));`,
  plane: '',
  ground: '',
};

const kGridHead = 'varying vec3 vWorld; uniform float uCell; uniform vec3 uCenter; uniform float uRadius; uniform vec3 uLine;\n';
// Grid lines at two scales, one pixel wide at any distance, fading before they alias; the plane itself fades outwards.
const kGridBody = `
  vec2 cell = vGrid / uCell;
  vec2 width = fwidth(cell);
  vec2 near = abs(fract(cell - 0.5) - 0.5) / max(width, vec2(1e-6));
  float thin = (1.0 - min(min(near.x, near.y), 1.0)) * clamp(1.0 - 2.0 * max(width.x, width.y), 0.0, 1.0);
  vec2 far = abs(fract(cell / 5.0 - 0.5) - 0.5) / max(width / 5.0, vec2(1e-6));
  float bold = (1.0 - min(min(far.x, far.y), 1.0)) * clamp(1.0 - 0.4 * max(width.x, width.y), 0.0, 1.0);
  diffuseColor.rgb = mix(diffuseColor.rgb, uLine, 0.35 * thin + 0.4 * bold);
  diffuseColor.a *= 1.0 - smoothstep(0.35 * uRadius, uRadius, length(vWorld - uCenter));
`;

export interface GridUniforms {
  uCell: { value: number };
  uCenter: { value: THREE.Vector3 };
  uRadius: { value: number };
  uLine: { value: THREE.Color };
}

export function bodyMaterial(pattern: Pattern): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.0, side: pattern === 'plain' ? THREE.DoubleSide : THREE.FrontSide });
  const shade = kShade[pattern];
  if (shade) {
    material.onBeforeCompile = (shader) => {
      shader.vertexShader = kVertexHead + shader.vertexShader.replace('#include <begin_vertex>', `#include <begin_vertex>${kVertexBody}`);
      shader.fragmentShader = kVertexHead + shader.fragmentShader.replace(
        '#include <color_fragment>', `#include <color_fragment>\n{ float shade = 1.0; ${shade}\n diffuseColor.rgb *= shade; }`);
    };
    material.customProgramCacheKey = () => `body-${pattern}`;
  }
  return material;
}

export function gridMaterial(uniforms: GridUniforms, opacity: number): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.9, metalness: 0, transparent: true, opacity, depthWrite: opacity >= 1 });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = 'varying vec3 vWorld; varying vec2 vGrid;\n' + shader.vertexShader.replace(
      '#include <begin_vertex>', `#include <begin_vertex>
      vec4 placed = vec4(position, 1.0);
      #ifdef USE_INSTANCING
        vGrid = position.xy * vec2(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz));
        placed = instanceMatrix * placed;
      #else
        vGrid = position.xy;
      #endif
      vWorld = (modelMatrix * placed).xyz;`);
    shader.fragmentShader = 'varying vec2 vGrid;\n' + kGridHead + shader.fragmentShader.replace(
      '#include <color_fragment>', `#include <color_fragment>\n{ ${kGridBody} }`);
  };
  material.customProgramCacheKey = () => 'grid';
  return material;
}
