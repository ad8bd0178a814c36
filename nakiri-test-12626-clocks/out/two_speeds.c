/* SPDX-License-Identifier: 0BSD
 *
 * two_speeds: tests/verilog/two_speeds/two_speeds.v
 *
 * Made by Nakiri 0.1.0 from sources sha256 0e9926d1928ebfe91326ad0a7c60dd69bab7136e3619404776b59702a4f8819a:
 *     nakiri build tests/verilog/two_speeds/two_speeds.v --clock 'fast,slow;fast' --target gp64:B+unroll=auto+inline=all+interleave=1:1+schedule=pressure+spill=compiler
 *
 * Variants, best first, and what one run of each executes:
 *     two_speeds two_speeds, gp64 B1: 64 at once, 192 instructions (106 And, 32 Or, 45 Xor, 9 Not)
 *
 * Checked:
 *     the self tests hold 0 vectors, to be run on the CPU at hand
 *
 * No branch and no address is meant to depend on data. Define NAKIRI_WIPE to have copies of keys and texts
 * erased from arrays on the stack. Constant parameters are the key.
 */

#include "two_speeds.h"

#include <stdint.h>
#include <string.h>

__attribute__((unused)) static inline uint8_t two_speeds_load8(const uint8_t *p)
{
    uint8_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

__attribute__((unused)) static inline void two_speeds_store8(uint8_t *p, uint8_t x)
{
    memcpy(p, &x, sizeof x);
}

__attribute__((unused)) static inline uint16_t two_speeds_load16(const uint8_t *p)
{
    uint16_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

__attribute__((unused)) static inline void two_speeds_store16(uint8_t *p, uint16_t x)
{
    memcpy(p, &x, sizeof x);
}

__attribute__((unused)) static inline uint32_t two_speeds_load32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

__attribute__((unused)) static inline void two_speeds_store32(uint8_t *p, uint32_t x)
{
    memcpy(p, &x, sizeof x);
}

__attribute__((unused)) static inline uint64_t two_speeds_load64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

__attribute__((unused)) static inline void two_speeds_store64(uint8_t *p, uint64_t x)
{
    memcpy(p, &x, sizeof x);
}

/* Erases memory in a way that no compiler leaves out. */
__attribute__((unused)) static void two_speeds_erase(void *p, size_t bytes)
{
    memset(p, 0, bytes);
    __asm__ volatile("" : : "r"(p) : "memory");
}

#ifdef NAKIRI_WIPE
#define TWO_SPEEDS_CLEAR(array) two_speeds_erase(array, sizeof array)
#else
#define TWO_SPEEDS_CLEAR(array) ((void)0)
#endif

static void two_speeds_gp64_b1_reset(uint8_t *bank)
{
    memset(bank, 0, 64);
    memset(bank + 64, 0, 64);
    memset(bank + 128, 0, 8);
    memset(bank + 136, 0, 8);
    memset(bank + 144, 0, 64);
    memset(bank + 208, 0, 64);
}

typedef uint64_t two_speeds_gp64_b1_kernel_memory_b1 __attribute__((aligned(1), may_alias));

static void two_speeds_gp64_b1_kernel(uint64_t *restrict out0, uint64_t *restrict out1, uint64_t *restrict out2, uint64_t *restrict out3, two_speeds_gp64_b1_kernel_memory_b1 *restrict out4, two_speeds_gp64_b1_kernel_memory_b1 *restrict out5, two_speeds_gp64_b1_kernel_memory_b1 *restrict out6, two_speeds_gp64_b1_kernel_memory_b1 *restrict out7, two_speeds_gp64_b1_kernel_memory_b1 *restrict out8, two_speeds_gp64_b1_kernel_memory_b1 *restrict out9, const uint64_t *restrict in0, const uint64_t *restrict in1, const two_speeds_gp64_b1_kernel_memory_b1 *restrict in2, const two_speeds_gp64_b1_kernel_memory_b1 *restrict in3, const two_speeds_gp64_b1_kernel_memory_b1 *restrict in4, const two_speeds_gp64_b1_kernel_memory_b1 *restrict in5, const two_speeds_gp64_b1_kernel_memory_b1 *restrict in6, const two_speeds_gp64_b1_kernel_memory_b1 *restrict in7, const unsigned char *restrict constants)
{
    (void)constants;
    const uint64_t v0 = in0[0];
    out6[0] = v0;
    out7[0] = v0;
    const uint64_t v1 = in4[0];
    const uint64_t v2 = (uint64_t)(v0 & v1);
    const uint64_t v71 = in5[0];
    const uint64_t v72 = (uint64_t)(v0 & v71);
    const uint64_t v36 = in2[0];
    const uint64_t v37 = (uint64_t)(v2 & v36);
    out2[0] = v37;
    const uint64_t v38 = in2[1];
    const uint64_t v39 = (uint64_t)(v2 & v38);
    out2[1] = v39;
    const uint64_t v40 = in2[2];
    const uint64_t v41 = (uint64_t)(v2 & v40);
    out2[2] = v41;
    const uint64_t v42 = in2[3];
    const uint64_t v43 = (uint64_t)(v2 & v42);
    out2[3] = v43;
    const uint64_t v44 = in2[4];
    const uint64_t v45 = (uint64_t)(v2 & v44);
    out2[4] = v45;
    const uint64_t v46 = in2[5];
    const uint64_t v47 = (uint64_t)(v2 & v46);
    out2[5] = v47;
    const uint64_t v48 = in2[6];
    const uint64_t v49 = (uint64_t)(v2 & v48);
    out2[6] = v49;
    const uint64_t v50 = in2[7];
    const uint64_t v51 = (uint64_t)(v2 & v50);
    out2[7] = v51;
    const uint64_t v52 = in3[0];
    const uint64_t v53 = (uint64_t)(v2 & v52);
    out3[0] = v53;
    const uint64_t v54 = in3[1];
    const uint64_t v55 = (uint64_t)(v2 & v54);
    out3[1] = v55;
    const uint64_t v56 = in3[2];
    const uint64_t v57 = (uint64_t)(v2 & v56);
    out3[2] = v57;
    const uint64_t v58 = in3[3];
    const uint64_t v59 = (uint64_t)(v2 & v58);
    out3[3] = v59;
    const uint64_t v60 = in3[4];
    const uint64_t v61 = (uint64_t)(v2 & v60);
    out3[4] = v61;
    const uint64_t v62 = in3[5];
    const uint64_t v63 = (uint64_t)(v2 & v62);
    out3[5] = v63;
    const uint64_t v64 = in3[6];
    const uint64_t v65 = (uint64_t)(v2 & v64);
    out3[6] = v65;
    const uint64_t v66 = in3[7];
    const uint64_t v67 = (uint64_t)(v2 & v66);
    out3[7] = v67;
    const uint64_t v6 = in6[1];
    const uint64_t v7 = (uint64_t)(v2 & v6);
    out0[1] = v7;
    const uint64_t v10 = in6[3];
    const uint64_t v11 = (uint64_t)(v2 & v10);
    out0[3] = v11;
    const uint64_t v12 = in6[4];
    const uint64_t v13 = (uint64_t)(v2 & v12);
    out0[4] = v13;
    const uint64_t v14 = in6[5];
    const uint64_t v15 = (uint64_t)(v2 & v14);
    out0[5] = v15;
    const uint64_t v16 = in6[6];
    const uint64_t v17 = (uint64_t)(v2 & v16);
    out0[6] = v17;
    const uint64_t v18 = in6[7];
    const uint64_t v19 = (uint64_t)(v2 & v18);
    out0[7] = v19;
    const uint64_t v22 = in7[1];
    const uint64_t v23 = (uint64_t)(v2 & v22);
    out1[1] = v23;
    const uint64_t v24 = in7[2];
    const uint64_t v25 = (uint64_t)(v2 & v24);
    out1[2] = v25;
    const uint64_t v26 = in7[3];
    const uint64_t v27 = (uint64_t)(v2 & v26);
    out1[3] = v27;
    const uint64_t v28 = in7[4];
    const uint64_t v29 = (uint64_t)(v2 & v28);
    out1[4] = v29;
    const uint64_t v30 = in7[5];
    const uint64_t v31 = (uint64_t)(v2 & v30);
    out1[5] = v31;
    const uint64_t v32 = in7[6];
    const uint64_t v33 = (uint64_t)(v2 & v32);
    out1[6] = v33;
    const uint64_t v34 = in7[7];
    const uint64_t v35 = (uint64_t)(v2 & v34);
    out1[7] = v35;
    const uint64_t v161 = (uint64_t)(v19 ^ v35);
    const uint64_t v128 = (uint64_t)~v7;
    const uint64_t v129 = (uint64_t)(v128 | v23);
    const uint64_t v123 = (uint64_t)(v7 ^ v23);
    const uint64_t v141 = (uint64_t)~v11;
    const uint64_t v142 = (uint64_t)(v141 | v27);
    const uint64_t v134 = (uint64_t)(v11 ^ v27);
    const uint64_t v148 = (uint64_t)~v13;
    const uint64_t v149 = (uint64_t)(v148 | v29);
    const uint64_t v140 = (uint64_t)(v13 ^ v29);
    const uint64_t v155 = (uint64_t)~v15;
    const uint64_t v156 = (uint64_t)(v155 | v31);
    const uint64_t v147 = (uint64_t)(v15 ^ v31);
    const uint64_t v162 = (uint64_t)~v17;
    const uint64_t v163 = (uint64_t)(v162 | v33);
    const uint64_t v154 = (uint64_t)(v17 ^ v33);
    const uint64_t v220 = (uint64_t)(v7 & v72);
    out9[1] = v220;
    out5[1] = v220;
    const uint64_t v222 = (uint64_t)(v11 & v72);
    out9[3] = v222;
    out5[3] = v222;
    const uint64_t v223 = (uint64_t)(v13 & v72);
    out9[4] = v223;
    out5[4] = v223;
    const uint64_t v224 = (uint64_t)(v15 & v72);
    out9[5] = v224;
    out5[5] = v224;
    const uint64_t v225 = (uint64_t)(v17 & v72);
    out9[6] = v225;
    out5[6] = v225;
    const uint64_t v226 = (uint64_t)(v19 & v72);
    out9[7] = v226;
    out5[7] = v226;
    const uint64_t v4 = (uint64_t)~v2;
    const uint64_t v113 = in1[7];
    const uint64_t v114 = (uint64_t)(v19 ^ v113);
    const uint64_t v168 = (uint64_t)~v72;
    const uint64_t v3 = in6[0];
    const uint64_t v5 = (uint64_t)(v4 | v3);
    out0[0] = v5;
    const uint64_t v120 = (uint64_t)(v2 & v3);
    const uint64_t v219 = (uint64_t)(v72 & v120);
    out9[0] = v219;
    out5[0] = v219;
    const uint64_t v124 = (uint64_t)~v5;
    const uint64_t v20 = in7[0];
    const uint64_t v125 = (uint64_t)(v124 & v20);
    const uint64_t v21 = (uint64_t)(v2 & v20);
    out1[0] = v21;
    const uint64_t v122 = (uint64_t)(v21 ^ v120);
    const uint64_t v227 = (uint64_t)(v72 & v122);
    out4[0] = v227;
    const uint64_t v130 = (uint64_t)(v123 | v125);
    const uint64_t v126 = (uint64_t)(v123 ^ v125);
    const uint64_t v131 = (uint64_t)(v129 & v130);
    const uint64_t v228 = (uint64_t)(v72 & v126);
    out4[1] = v228;
    const uint64_t v8 = in6[2];
    const uint64_t v9 = (uint64_t)(v4 | v8);
    out0[2] = v9;
    const uint64_t v121 = (uint64_t)(v2 & v8);
    const uint64_t v221 = (uint64_t)(v72 & v121);
    out9[2] = v221;
    out5[2] = v221;
    const uint64_t v135 = (uint64_t)~v9;
    const uint64_t v136 = (uint64_t)(v135 | v25);
    const uint64_t v127 = (uint64_t)(v9 ^ v25);
    const uint64_t v137 = (uint64_t)(v127 | v131);
    const uint64_t v132 = (uint64_t)(v127 ^ v131);
    const uint64_t v138 = (uint64_t)(v136 & v137);
    const uint64_t v133 = (uint64_t)(v2 & v132);
    const uint64_t v229 = (uint64_t)(v72 & v133);
    out4[2] = v229;
    const uint64_t v143 = (uint64_t)(v134 | v138);
    const uint64_t v139 = (uint64_t)(v134 ^ v138);
    const uint64_t v144 = (uint64_t)(v142 & v143);
    const uint64_t v230 = (uint64_t)(v72 & v139);
    out4[3] = v230;
    const uint64_t v150 = (uint64_t)(v140 | v144);
    const uint64_t v145 = (uint64_t)(v140 ^ v144);
    const uint64_t v151 = (uint64_t)(v149 & v150);
    const uint64_t v146 = (uint64_t)(v2 & v145);
    const uint64_t v231 = (uint64_t)(v72 & v146);
    out4[4] = v231;
    const uint64_t v157 = (uint64_t)(v147 | v151);
    const uint64_t v152 = (uint64_t)(v147 ^ v151);
    const uint64_t v158 = (uint64_t)(v156 & v157);
    const uint64_t v153 = (uint64_t)(v2 & v152);
    const uint64_t v232 = (uint64_t)(v72 & v153);
    out4[5] = v232;
    const uint64_t v164 = (uint64_t)(v154 | v158);
    const uint64_t v165 = (uint64_t)(v163 & v164);
    const uint64_t v159 = (uint64_t)(v154 ^ v158);
    const uint64_t v166 = (uint64_t)(v161 ^ v165);
    const uint64_t v160 = (uint64_t)(v2 & v159);
    const uint64_t v233 = (uint64_t)(v72 & v160);
    out4[6] = v233;
    const uint64_t v167 = (uint64_t)(v2 & v166);
    const uint64_t v234 = (uint64_t)(v72 & v167);
    out4[7] = v234;
    const uint64_t v68 = in1[0];
    const uint64_t v69 = (uint64_t)(v5 ^ v68);
    const uint64_t v70 = (uint64_t)(v4 | v69);
    const uint64_t v169 = (uint64_t)(v70 | v168);
    const uint64_t v75 = (uint64_t)(v5 & v68);
    const uint64_t v170 = (uint64_t)(v68 ^ v169);
    const uint64_t v174 = (uint64_t)(v68 & v169);
    const uint64_t v171 = (uint64_t)(v168 | v170);
    out8[0] = v171;
    const uint64_t v73 = in1[1];
    const uint64_t v74 = (uint64_t)(v7 ^ v73);
    const uint64_t v80 = (uint64_t)(v7 & v73);
    const uint64_t v81 = (uint64_t)(v74 & v75);
    const uint64_t v76 = (uint64_t)(v74 ^ v75);
    const uint64_t v82 = (uint64_t)(v80 | v81);
    const uint64_t v77 = (uint64_t)(v2 & v76);
    const uint64_t v172 = (uint64_t)(v72 & v77);
    const uint64_t v173 = (uint64_t)(v73 ^ v172);
    const uint64_t v179 = (uint64_t)(v73 & v172);
    const uint64_t v180 = (uint64_t)(v173 & v174);
    const uint64_t v175 = (uint64_t)(v173 ^ v174);
    const uint64_t v181 = (uint64_t)(v179 | v180);
    const uint64_t v176 = (uint64_t)(v72 & v175);
    out8[1] = v176;
    const uint64_t v78 = in1[2];
    const uint64_t v79 = (uint64_t)(v9 ^ v78);
    const uint64_t v87 = (uint64_t)(v9 & v78);
    const uint64_t v83 = (uint64_t)(v79 ^ v82);
    const uint64_t v88 = (uint64_t)(v79 & v82);
    const uint64_t v84 = (uint64_t)(v4 | v83);
    const uint64_t v89 = (uint64_t)(v87 | v88);
    const uint64_t v177 = (uint64_t)(v168 | v84);
    const uint64_t v178 = (uint64_t)(v78 ^ v177);
    const uint64_t v186 = (uint64_t)(v78 & v177);
    const uint64_t v182 = (uint64_t)(v178 ^ v181);
    const uint64_t v183 = (uint64_t)(v168 | v182);
    out8[2] = v183;
    const uint64_t v187 = (uint64_t)(v178 & v181);
    const uint64_t v188 = (uint64_t)(v186 | v187);
    const uint64_t v85 = in1[3];
    const uint64_t v86 = (uint64_t)(v11 ^ v85);
    const uint64_t v94 = (uint64_t)(v11 & v85);
    const uint64_t v95 = (uint64_t)(v86 & v89);
    const uint64_t v90 = (uint64_t)(v86 ^ v89);
    const uint64_t v96 = (uint64_t)(v94 | v95);
    const uint64_t v91 = (uint64_t)(v2 & v90);
    const uint64_t v184 = (uint64_t)(v72 & v91);
    const uint64_t v185 = (uint64_t)(v85 ^ v184);
    const uint64_t v193 = (uint64_t)(v85 & v184);
    const uint64_t v194 = (uint64_t)(v185 & v188);
    const uint64_t v189 = (uint64_t)(v185 ^ v188);
    const uint64_t v195 = (uint64_t)(v193 | v194);
    const uint64_t v190 = (uint64_t)(v72 & v189);
    out8[3] = v190;
    const uint64_t v92 = in1[4];
    const uint64_t v93 = (uint64_t)(v13 ^ v92);
    const uint64_t v101 = (uint64_t)(v13 & v92);
    const uint64_t v102 = (uint64_t)(v93 & v96);
    const uint64_t v97 = (uint64_t)(v93 ^ v96);
    const uint64_t v103 = (uint64_t)(v101 | v102);
    const uint64_t v98 = (uint64_t)(v2 & v97);
    const uint64_t v191 = (uint64_t)(v72 & v98);
    const uint64_t v192 = (uint64_t)(v92 ^ v191);
    const uint64_t v200 = (uint64_t)(v92 & v191);
    const uint64_t v201 = (uint64_t)(v192 & v195);
    const uint64_t v196 = (uint64_t)(v192 ^ v195);
    const uint64_t v202 = (uint64_t)(v200 | v201);
    const uint64_t v197 = (uint64_t)(v72 & v196);
    out8[4] = v197;
    const uint64_t v99 = in1[5];
    const uint64_t v100 = (uint64_t)(v15 ^ v99);
    const uint64_t v108 = (uint64_t)(v15 & v99);
    const uint64_t v109 = (uint64_t)(v100 & v103);
    const uint64_t v104 = (uint64_t)(v100 ^ v103);
    const uint64_t v110 = (uint64_t)(v108 | v109);
    const uint64_t v105 = (uint64_t)(v2 & v104);
    const uint64_t v198 = (uint64_t)(v72 & v105);
    const uint64_t v199 = (uint64_t)(v99 ^ v198);
    const uint64_t v207 = (uint64_t)(v99 & v198);
    const uint64_t v208 = (uint64_t)(v199 & v202);
    const uint64_t v203 = (uint64_t)(v199 ^ v202);
    const uint64_t v209 = (uint64_t)(v207 | v208);
    const uint64_t v204 = (uint64_t)(v72 & v203);
    out8[5] = v204;
    const uint64_t v106 = in1[6];
    const uint64_t v107 = (uint64_t)(v17 ^ v106);
    const uint64_t v115 = (uint64_t)(v17 & v106);
    const uint64_t v116 = (uint64_t)(v107 & v110);
    const uint64_t v117 = (uint64_t)(v115 | v116);
    const uint64_t v111 = (uint64_t)(v107 ^ v110);
    const uint64_t v118 = (uint64_t)(v114 ^ v117);
    const uint64_t v112 = (uint64_t)(v2 & v111);
    const uint64_t v119 = (uint64_t)(v2 & v118);
    const uint64_t v212 = (uint64_t)(v72 & v119);
    const uint64_t v213 = (uint64_t)(v113 ^ v212);
    const uint64_t v205 = (uint64_t)(v72 & v112);
    const uint64_t v206 = (uint64_t)(v106 ^ v205);
    const uint64_t v214 = (uint64_t)(v106 & v205);
    const uint64_t v215 = (uint64_t)(v206 & v209);
    const uint64_t v216 = (uint64_t)(v214 | v215);
    const uint64_t v210 = (uint64_t)(v206 ^ v209);
    const uint64_t v217 = (uint64_t)(v213 ^ v216);
    const uint64_t v211 = (uint64_t)(v72 & v210);
    out8[6] = v211;
    const uint64_t v218 = (uint64_t)(v72 & v217);
    out8[7] = v218;
}

static inline void two_speeds_store_gp64_b1x8(uint8_t *restrict out, const uint64_t *restrict r)
{
    {
        const uint64_t v0 = r[0];
        const uint64_t v1 = r[1];
        const uint64_t v2 = r[2];
        const uint64_t v3 = r[3];
        const uint64_t v4 = r[4];
        const uint64_t v5 = r[5];
        const uint64_t v6 = r[6];
        const uint64_t v7 = r[7];
        const uint64_t d8 = (uint64_t)((uint64_t)((uint64_t)(v0 >> 1) ^ v1) & 0x5555555555555555ULL);
        const uint64_t v8 = (uint64_t)(v0 ^ (uint64_t)(d8 << 1));
        const uint64_t v9 = (uint64_t)(v1 ^ d8);
        const uint64_t d10 = (uint64_t)((uint64_t)((uint64_t)(v2 >> 1) ^ v3) & 0x5555555555555555ULL);
        const uint64_t v10 = (uint64_t)(v2 ^ (uint64_t)(d10 << 1));
        const uint64_t v11 = (uint64_t)(v3 ^ d10);
        const uint64_t d12 = (uint64_t)((uint64_t)((uint64_t)(v4 >> 1) ^ v5) & 0x5555555555555555ULL);
        const uint64_t v12 = (uint64_t)(v4 ^ (uint64_t)(d12 << 1));
        const uint64_t v13 = (uint64_t)(v5 ^ d12);
        const uint64_t d14 = (uint64_t)((uint64_t)((uint64_t)(v6 >> 1) ^ v7) & 0x5555555555555555ULL);
        const uint64_t v14 = (uint64_t)(v6 ^ (uint64_t)(d14 << 1));
        const uint64_t v15 = (uint64_t)(v7 ^ d14);
        const uint64_t d16 = (uint64_t)((uint64_t)((uint64_t)(v8 >> 2) ^ v10) & 0x3333333333333333ULL);
        const uint64_t v16 = (uint64_t)(v8 ^ (uint64_t)(d16 << 2));
        const uint64_t v17 = (uint64_t)(v10 ^ d16);
        const uint64_t d18 = (uint64_t)((uint64_t)((uint64_t)(v9 >> 2) ^ v11) & 0x3333333333333333ULL);
        const uint64_t v18 = (uint64_t)(v9 ^ (uint64_t)(d18 << 2));
        const uint64_t v19 = (uint64_t)(v11 ^ d18);
        const uint64_t d20 = (uint64_t)((uint64_t)((uint64_t)(v12 >> 2) ^ v14) & 0x3333333333333333ULL);
        const uint64_t v20 = (uint64_t)(v12 ^ (uint64_t)(d20 << 2));
        const uint64_t v21 = (uint64_t)(v14 ^ d20);
        const uint64_t d22 = (uint64_t)((uint64_t)((uint64_t)(v13 >> 2) ^ v15) & 0x3333333333333333ULL);
        const uint64_t v22 = (uint64_t)(v13 ^ (uint64_t)(d22 << 2));
        const uint64_t v23 = (uint64_t)(v15 ^ d22);
        const uint64_t d24 = (uint64_t)((uint64_t)((uint64_t)(v16 >> 4) ^ v20) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v24 = (uint64_t)(v16 ^ (uint64_t)(d24 << 4));
        const uint64_t v25 = (uint64_t)(v20 ^ d24);
        const uint64_t d26 = (uint64_t)((uint64_t)((uint64_t)(v18 >> 4) ^ v22) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v26 = (uint64_t)(v18 ^ (uint64_t)(d26 << 4));
        const uint64_t v27 = (uint64_t)(v22 ^ d26);
        const uint64_t d28 = (uint64_t)((uint64_t)((uint64_t)(v17 >> 4) ^ v21) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v28 = (uint64_t)(v17 ^ (uint64_t)(d28 << 4));
        const uint64_t v29 = (uint64_t)(v21 ^ d28);
        const uint64_t d30 = (uint64_t)((uint64_t)((uint64_t)(v19 >> 4) ^ v23) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v30 = (uint64_t)(v19 ^ (uint64_t)(d30 << 4));
        const uint64_t v31 = (uint64_t)(v23 ^ d30);
        const uint64_t d32 = (uint64_t)((uint64_t)((uint64_t)(v24 >> 8) ^ v26) & 0xff00ff00ff00ffULL);
        const uint64_t v32 = (uint64_t)(v24 ^ (uint64_t)(d32 << 8));
        const uint64_t v33 = (uint64_t)(v26 ^ d32);
        const uint64_t d34 = (uint64_t)((uint64_t)((uint64_t)(v28 >> 8) ^ v30) & 0xff00ff00ff00ffULL);
        const uint64_t v34 = (uint64_t)(v28 ^ (uint64_t)(d34 << 8));
        const uint64_t v35 = (uint64_t)(v30 ^ d34);
        const uint64_t d36 = (uint64_t)((uint64_t)((uint64_t)(v25 >> 8) ^ v27) & 0xff00ff00ff00ffULL);
        const uint64_t v36 = (uint64_t)(v25 ^ (uint64_t)(d36 << 8));
        const uint64_t v37 = (uint64_t)(v27 ^ d36);
        const uint64_t d38 = (uint64_t)((uint64_t)((uint64_t)(v29 >> 8) ^ v31) & 0xff00ff00ff00ffULL);
        const uint64_t v38 = (uint64_t)(v29 ^ (uint64_t)(d38 << 8));
        const uint64_t v39 = (uint64_t)(v31 ^ d38);
        const uint64_t d40 = (uint64_t)((uint64_t)((uint64_t)(v32 >> 16) ^ v34) & 0xffff0000ffffULL);
        const uint64_t v40 = (uint64_t)(v32 ^ (uint64_t)(d40 << 16));
        const uint64_t v41 = (uint64_t)(v34 ^ d40);
        const uint64_t d42 = (uint64_t)((uint64_t)((uint64_t)(v33 >> 16) ^ v35) & 0xffff0000ffffULL);
        const uint64_t v42 = (uint64_t)(v33 ^ (uint64_t)(d42 << 16));
        const uint64_t v43 = (uint64_t)(v35 ^ d42);
        const uint64_t d44 = (uint64_t)((uint64_t)((uint64_t)(v36 >> 16) ^ v38) & 0xffff0000ffffULL);
        const uint64_t v44 = (uint64_t)(v36 ^ (uint64_t)(d44 << 16));
        const uint64_t v45 = (uint64_t)(v38 ^ d44);
        const uint64_t d46 = (uint64_t)((uint64_t)((uint64_t)(v37 >> 16) ^ v39) & 0xffff0000ffffULL);
        const uint64_t v46 = (uint64_t)(v37 ^ (uint64_t)(d46 << 16));
        const uint64_t v47 = (uint64_t)(v39 ^ d46);
        const uint64_t d48 = (uint64_t)((uint64_t)((uint64_t)(v40 >> 32) ^ v44) & 0xffffffffU);
        const uint64_t v48 = (uint64_t)(v40 ^ (uint64_t)(d48 << 32));
        const uint64_t v49 = (uint64_t)(v44 ^ d48);
        const uint64_t d50 = (uint64_t)((uint64_t)((uint64_t)(v42 >> 32) ^ v46) & 0xffffffffU);
        const uint64_t v50 = (uint64_t)(v42 ^ (uint64_t)(d50 << 32));
        const uint64_t v51 = (uint64_t)(v46 ^ d50);
        const uint64_t d52 = (uint64_t)((uint64_t)((uint64_t)(v41 >> 32) ^ v45) & 0xffffffffU);
        const uint64_t v52 = (uint64_t)(v41 ^ (uint64_t)(d52 << 32));
        const uint64_t v53 = (uint64_t)(v45 ^ d52);
        const uint64_t d54 = (uint64_t)((uint64_t)((uint64_t)(v43 >> 32) ^ v47) & 0xffffffffU);
        const uint64_t v54 = (uint64_t)(v43 ^ (uint64_t)(d54 << 32));
        const uint64_t v55 = (uint64_t)(v47 ^ d54);
        two_speeds_store64(out + (0), (uint64_t)v48);
        two_speeds_store64(out + (8), (uint64_t)v50);
        two_speeds_store64(out + (16), (uint64_t)v52);
        two_speeds_store64(out + (24), (uint64_t)v54);
        two_speeds_store64(out + (32), (uint64_t)v49);
        two_speeds_store64(out + (40), (uint64_t)v51);
        two_speeds_store64(out + (48), (uint64_t)v53);
        two_speeds_store64(out + (56), (uint64_t)v55);
    }
}

static inline void two_speeds_load_gp64_b1x1(uint64_t *restrict r, const uint8_t *restrict in)
{
    {
        const uint64_t v0 = (uint64_t)two_speeds_load64(in + (0));
        const uint64_t v1 = (uint64_t)two_speeds_load64(in + (8));
        const uint64_t v2 = (uint64_t)two_speeds_load64(in + (16));
        const uint64_t v3 = (uint64_t)two_speeds_load64(in + (24));
        const uint64_t v4 = (uint64_t)two_speeds_load64(in + (32));
        const uint64_t v5 = (uint64_t)two_speeds_load64(in + (40));
        const uint64_t v6 = (uint64_t)two_speeds_load64(in + (48));
        const uint64_t v7 = (uint64_t)two_speeds_load64(in + (56));
        const uint64_t d8 = (uint64_t)((uint64_t)((uint64_t)(v0 >> 8) ^ v1) & 0xff00ff00ff00ffULL);
        const uint64_t v8 = (uint64_t)(v0 ^ (uint64_t)(d8 << 8));
        const uint64_t v9 = (uint64_t)(v1 ^ d8);
        const uint64_t d10 = (uint64_t)((uint64_t)((uint64_t)(v2 >> 8) ^ v3) & 0xff00ff00ff00ffULL);
        const uint64_t v10 = (uint64_t)(v2 ^ (uint64_t)(d10 << 8));
        const uint64_t v11 = (uint64_t)(v3 ^ d10);
        const uint64_t d12 = (uint64_t)((uint64_t)((uint64_t)(v4 >> 8) ^ v5) & 0xff00ff00ff00ffULL);
        const uint64_t v12 = (uint64_t)(v4 ^ (uint64_t)(d12 << 8));
        const uint64_t v13 = (uint64_t)(v5 ^ d12);
        const uint64_t d14 = (uint64_t)((uint64_t)((uint64_t)(v6 >> 8) ^ v7) & 0xff00ff00ff00ffULL);
        const uint64_t v14 = (uint64_t)(v6 ^ (uint64_t)(d14 << 8));
        const uint64_t v15 = (uint64_t)(v7 ^ d14);
        const uint64_t d16 = (uint64_t)((uint64_t)((uint64_t)(v8 >> 1) ^ v9) & 0x5555555555555555ULL);
        const uint64_t v16 = (uint64_t)(v8 ^ (uint64_t)(d16 << 1));
        const uint64_t d18 = (uint64_t)((uint64_t)((uint64_t)(v10 >> 1) ^ v11) & 0x5555555555555555ULL);
        const uint64_t v18 = (uint64_t)(v10 ^ (uint64_t)(d18 << 1));
        const uint64_t d20 = (uint64_t)((uint64_t)((uint64_t)(v12 >> 1) ^ v13) & 0x5555555555555555ULL);
        const uint64_t v20 = (uint64_t)(v12 ^ (uint64_t)(d20 << 1));
        const uint64_t d22 = (uint64_t)((uint64_t)((uint64_t)(v14 >> 1) ^ v15) & 0x5555555555555555ULL);
        const uint64_t v22 = (uint64_t)(v14 ^ (uint64_t)(d22 << 1));
        const uint64_t d24 = (uint64_t)((uint64_t)((uint64_t)(v16 >> 16) ^ v18) & 0xffff0000ffffULL);
        const uint64_t v24 = (uint64_t)(v16 ^ (uint64_t)(d24 << 16));
        const uint64_t v25 = (uint64_t)(v18 ^ d24);
        const uint64_t d28 = (uint64_t)((uint64_t)((uint64_t)(v20 >> 16) ^ v22) & 0xffff0000ffffULL);
        const uint64_t v28 = (uint64_t)(v20 ^ (uint64_t)(d28 << 16));
        const uint64_t v29 = (uint64_t)(v22 ^ d28);
        const uint64_t d32 = (uint64_t)((uint64_t)((uint64_t)(v24 >> 2) ^ v25) & 0x3333333333333333ULL);
        const uint64_t v32 = (uint64_t)(v24 ^ (uint64_t)(d32 << 2));
        const uint64_t d36 = (uint64_t)((uint64_t)((uint64_t)(v28 >> 2) ^ v29) & 0x3333333333333333ULL);
        const uint64_t v36 = (uint64_t)(v28 ^ (uint64_t)(d36 << 2));
        const uint64_t d40 = (uint64_t)((uint64_t)((uint64_t)(v32 >> 32) ^ v36) & 0xffffffffU);
        const uint64_t v40 = (uint64_t)(v32 ^ (uint64_t)(d40 << 32));
        const uint64_t v41 = (uint64_t)(v36 ^ d40);
        const uint64_t d48 = (uint64_t)((uint64_t)((uint64_t)(v40 >> 4) ^ v41) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v48 = (uint64_t)(v40 ^ (uint64_t)(d48 << 4));
        r[0] = v48;
    }
}

static inline void two_speeds_load_gp64_b1x8(uint64_t *restrict r, const uint8_t *restrict in)
{
    {
        const uint64_t v0 = (uint64_t)two_speeds_load64(in + (0));
        const uint64_t v1 = (uint64_t)two_speeds_load64(in + (8));
        const uint64_t v2 = (uint64_t)two_speeds_load64(in + (16));
        const uint64_t v3 = (uint64_t)two_speeds_load64(in + (24));
        const uint64_t v4 = (uint64_t)two_speeds_load64(in + (32));
        const uint64_t v5 = (uint64_t)two_speeds_load64(in + (40));
        const uint64_t v6 = (uint64_t)two_speeds_load64(in + (48));
        const uint64_t v7 = (uint64_t)two_speeds_load64(in + (56));
        const uint64_t d8 = (uint64_t)((uint64_t)((uint64_t)(v0 >> 8) ^ v1) & 0xff00ff00ff00ffULL);
        const uint64_t v8 = (uint64_t)(v0 ^ (uint64_t)(d8 << 8));
        const uint64_t v9 = (uint64_t)(v1 ^ d8);
        const uint64_t d10 = (uint64_t)((uint64_t)((uint64_t)(v2 >> 8) ^ v3) & 0xff00ff00ff00ffULL);
        const uint64_t v10 = (uint64_t)(v2 ^ (uint64_t)(d10 << 8));
        const uint64_t v11 = (uint64_t)(v3 ^ d10);
        const uint64_t d12 = (uint64_t)((uint64_t)((uint64_t)(v4 >> 8) ^ v5) & 0xff00ff00ff00ffULL);
        const uint64_t v12 = (uint64_t)(v4 ^ (uint64_t)(d12 << 8));
        const uint64_t v13 = (uint64_t)(v5 ^ d12);
        const uint64_t d14 = (uint64_t)((uint64_t)((uint64_t)(v6 >> 8) ^ v7) & 0xff00ff00ff00ffULL);
        const uint64_t v14 = (uint64_t)(v6 ^ (uint64_t)(d14 << 8));
        const uint64_t v15 = (uint64_t)(v7 ^ d14);
        const uint64_t d16 = (uint64_t)((uint64_t)((uint64_t)(v8 >> 1) ^ v9) & 0x5555555555555555ULL);
        const uint64_t v16 = (uint64_t)(v8 ^ (uint64_t)(d16 << 1));
        const uint64_t v17 = (uint64_t)(v9 ^ d16);
        const uint64_t d18 = (uint64_t)((uint64_t)((uint64_t)(v10 >> 1) ^ v11) & 0x5555555555555555ULL);
        const uint64_t v18 = (uint64_t)(v10 ^ (uint64_t)(d18 << 1));
        const uint64_t v19 = (uint64_t)(v11 ^ d18);
        const uint64_t d20 = (uint64_t)((uint64_t)((uint64_t)(v12 >> 1) ^ v13) & 0x5555555555555555ULL);
        const uint64_t v20 = (uint64_t)(v12 ^ (uint64_t)(d20 << 1));
        const uint64_t v21 = (uint64_t)(v13 ^ d20);
        const uint64_t d22 = (uint64_t)((uint64_t)((uint64_t)(v14 >> 1) ^ v15) & 0x5555555555555555ULL);
        const uint64_t v22 = (uint64_t)(v14 ^ (uint64_t)(d22 << 1));
        const uint64_t v23 = (uint64_t)(v15 ^ d22);
        const uint64_t d24 = (uint64_t)((uint64_t)((uint64_t)(v16 >> 16) ^ v18) & 0xffff0000ffffULL);
        const uint64_t v24 = (uint64_t)(v16 ^ (uint64_t)(d24 << 16));
        const uint64_t v25 = (uint64_t)(v18 ^ d24);
        const uint64_t d26 = (uint64_t)((uint64_t)((uint64_t)(v17 >> 16) ^ v19) & 0xffff0000ffffULL);
        const uint64_t v26 = (uint64_t)(v17 ^ (uint64_t)(d26 << 16));
        const uint64_t v27 = (uint64_t)(v19 ^ d26);
        const uint64_t d28 = (uint64_t)((uint64_t)((uint64_t)(v20 >> 16) ^ v22) & 0xffff0000ffffULL);
        const uint64_t v28 = (uint64_t)(v20 ^ (uint64_t)(d28 << 16));
        const uint64_t v29 = (uint64_t)(v22 ^ d28);
        const uint64_t d30 = (uint64_t)((uint64_t)((uint64_t)(v21 >> 16) ^ v23) & 0xffff0000ffffULL);
        const uint64_t v30 = (uint64_t)(v21 ^ (uint64_t)(d30 << 16));
        const uint64_t v31 = (uint64_t)(v23 ^ d30);
        const uint64_t d32 = (uint64_t)((uint64_t)((uint64_t)(v24 >> 2) ^ v25) & 0x3333333333333333ULL);
        const uint64_t v32 = (uint64_t)(v24 ^ (uint64_t)(d32 << 2));
        const uint64_t v33 = (uint64_t)(v25 ^ d32);
        const uint64_t d34 = (uint64_t)((uint64_t)((uint64_t)(v26 >> 2) ^ v27) & 0x3333333333333333ULL);
        const uint64_t v34 = (uint64_t)(v26 ^ (uint64_t)(d34 << 2));
        const uint64_t v35 = (uint64_t)(v27 ^ d34);
        const uint64_t d36 = (uint64_t)((uint64_t)((uint64_t)(v28 >> 2) ^ v29) & 0x3333333333333333ULL);
        const uint64_t v36 = (uint64_t)(v28 ^ (uint64_t)(d36 << 2));
        const uint64_t v37 = (uint64_t)(v29 ^ d36);
        const uint64_t d38 = (uint64_t)((uint64_t)((uint64_t)(v30 >> 2) ^ v31) & 0x3333333333333333ULL);
        const uint64_t v38 = (uint64_t)(v30 ^ (uint64_t)(d38 << 2));
        const uint64_t v39 = (uint64_t)(v31 ^ d38);
        const uint64_t d40 = (uint64_t)((uint64_t)((uint64_t)(v32 >> 32) ^ v36) & 0xffffffffU);
        const uint64_t v40 = (uint64_t)(v32 ^ (uint64_t)(d40 << 32));
        const uint64_t v41 = (uint64_t)(v36 ^ d40);
        const uint64_t d42 = (uint64_t)((uint64_t)((uint64_t)(v34 >> 32) ^ v38) & 0xffffffffU);
        const uint64_t v42 = (uint64_t)(v34 ^ (uint64_t)(d42 << 32));
        const uint64_t v43 = (uint64_t)(v38 ^ d42);
        const uint64_t d44 = (uint64_t)((uint64_t)((uint64_t)(v33 >> 32) ^ v37) & 0xffffffffU);
        const uint64_t v44 = (uint64_t)(v33 ^ (uint64_t)(d44 << 32));
        const uint64_t v45 = (uint64_t)(v37 ^ d44);
        const uint64_t d46 = (uint64_t)((uint64_t)((uint64_t)(v35 >> 32) ^ v39) & 0xffffffffU);
        const uint64_t v46 = (uint64_t)(v35 ^ (uint64_t)(d46 << 32));
        const uint64_t v47 = (uint64_t)(v39 ^ d46);
        const uint64_t d48 = (uint64_t)((uint64_t)((uint64_t)(v40 >> 4) ^ v41) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v48 = (uint64_t)(v40 ^ (uint64_t)(d48 << 4));
        const uint64_t v49 = (uint64_t)(v41 ^ d48);
        const uint64_t d50 = (uint64_t)((uint64_t)((uint64_t)(v42 >> 4) ^ v43) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v50 = (uint64_t)(v42 ^ (uint64_t)(d50 << 4));
        const uint64_t v51 = (uint64_t)(v43 ^ d50);
        const uint64_t d52 = (uint64_t)((uint64_t)((uint64_t)(v44 >> 4) ^ v45) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v52 = (uint64_t)(v44 ^ (uint64_t)(d52 << 4));
        const uint64_t v53 = (uint64_t)(v45 ^ d52);
        const uint64_t d54 = (uint64_t)((uint64_t)((uint64_t)(v46 >> 4) ^ v47) & 0xf0f0f0f0f0f0f0fULL);
        const uint64_t v54 = (uint64_t)(v46 ^ (uint64_t)(d54 << 4));
        const uint64_t v55 = (uint64_t)(v47 ^ d54);
        r[0] = v48;
        r[1] = v50;
        r[2] = v52;
        r[3] = v54;
        r[4] = v49;
        r[5] = v51;
        r[6] = v53;
        r[7] = v55;
    }
}

__attribute__((noinline))
static void two_speeds_gp64_b1_step(uint8_t *next, const uint8_t *now, uint8_t *out_sum, uint8_t *out_taken, uint8_t *out_growth, uint8_t *out_late, const uint8_t *in_rst_n, const uint8_t *in_step)
{
    uint64_t y0[8];
    uint64_t y1[8];
    uint64_t y2[8];
    uint64_t y3[8];
    uint64_t x0[1];
    uint64_t x1[8];
    two_speeds_load_gp64_b1x1(x0, in_rst_n);
    two_speeds_load_gp64_b1x8(x1, in_step);
    two_speeds_gp64_b1_kernel(y0, y1, y2, y3, (two_speeds_gp64_b1_kernel_memory_b1 *)(next), (two_speeds_gp64_b1_kernel_memory_b1 *)(next + 64), (two_speeds_gp64_b1_kernel_memory_b1 *)(next + 128), (two_speeds_gp64_b1_kernel_memory_b1 *)(next + 136), (two_speeds_gp64_b1_kernel_memory_b1 *)(next + 144), (two_speeds_gp64_b1_kernel_memory_b1 *)(next + 208), x0, x1, (const two_speeds_gp64_b1_kernel_memory_b1 *)(now), (const two_speeds_gp64_b1_kernel_memory_b1 *)(now + 64), (const two_speeds_gp64_b1_kernel_memory_b1 *)(now + 128), (const two_speeds_gp64_b1_kernel_memory_b1 *)(now + 136), (const two_speeds_gp64_b1_kernel_memory_b1 *)(now + 144), (const two_speeds_gp64_b1_kernel_memory_b1 *)(now + 208), NULL);
    two_speeds_store_gp64_b1x8(out_sum, y0);
    two_speeds_store_gp64_b1x8(out_taken, y1);
    two_speeds_store_gp64_b1x8(out_growth, y2);
    two_speeds_store_gp64_b1x8(out_late, y3);
    TWO_SPEEDS_CLEAR(y0);
    TWO_SPEEDS_CLEAR(y1);
    TWO_SPEEDS_CLEAR(y2);
    TWO_SPEEDS_CLEAR(y3);
    TWO_SPEEDS_CLEAR(x0);
    TWO_SPEEDS_CLEAR(x1);
}

/* The number of blocks that each variant processes at once. */
static const size_t two_speeds_lanes[1] = { 64 };

static const char *const two_speeds_names[1] = { "gp64 B1" };

static int two_speeds_runs(unsigned variant)
{
    switch (variant) {
    default:
        return variant < 1;
    }
}

/* The first variant that this CPU can run. Threads that race here find the same one. */
static unsigned two_speeds_choose(void)
{
    static unsigned known;
    unsigned variant = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (variant == 0) {
        while (variant + 1 < 1 && !two_speeds_runs(variant))
            variant++;
        variant++;
        __atomic_store_n(&known, variant, __ATOMIC_RELAXED);
    }
    return variant - 1;
}

int two_speeds_supported(void)
{
    return two_speeds_runs(two_speeds_choose()) != 0;
}

const char *two_speeds_variant(void)
{
    return two_speeds_names[two_speeds_choose()];
}

size_t two_speeds_parallel_blocks(void)
{
    return two_speeds_lanes[two_speeds_choose()];
}

static void two_speeds_reset_as(two_speeds_state *state, unsigned variant)
{
    state->variant = variant;
    state->now = 0;
    switch (variant) {
    default:
        two_speeds_gp64_b1_reset(state->bank[0]);
        break;
    }
}

void two_speeds_reset(two_speeds_state *state)
{
    two_speeds_reset_as(state, two_speeds_choose());
}

void two_speeds_step(two_speeds_state *state, uint8_t *out_sum, uint8_t *out_taken, uint8_t *out_growth, uint8_t *out_late, const uint8_t *in_rst_n, const uint8_t *in_step)
{
    const unsigned now = state->now & 1;
    switch (state->variant) {
    default:
        two_speeds_gp64_b1_step(state->bank[!now], state->bank[now], out_sum, out_taken, out_growth, out_late, in_rst_n, in_step);
        break;
    }
    state->now = !now;
}

void two_speeds_wipe(two_speeds_state *state)
{
    two_speeds_erase(state, sizeof *state);
}

int two_speeds_self_test(void)
{
    for (unsigned variant = 0; variant < 1; variant++) {
        if (!two_speeds_runs(variant))
            continue;
        if (0)
            return (int)variant + 1;
    }
    return 0;
}

