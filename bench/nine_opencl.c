// SPDX-License-Identifier: MIT
// The nine shaders of nine.py in OpenCL C: nine_opencl SHADER ROUNDS OUT|- BUFFER0 [BUFFER1
// [BUFFER2]], as nine_native does it, with nine.cl beside it, on the first device that is a CPU.
// nine_opencl alone says which. nine.py compiles it where OpenCL is.
#define CL_TARGET_OPENCL_VERSION 120
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

enum { MOST = 3, MOST_PLATFORMS = 8 };

/** Invocations, and those of a workgroup. */
static const struct work {
    const char *name;
    size_t global[2], group[2];
} works[] = {
    {"saxpy", {1048576, 1}, {64, 1}},   {"matmul", {256, 256}, {16, 16}},
    {"mandelbrot", {512, 256}, {8, 8}}, {"sha256", {16384, 1}, {64, 1}},
    {"nbody", {1024, 1}, {64, 1}},      {"reduce", {1048576, 1}, {256, 1}},
    {"scan", {262144, 1}, {256, 1}},    {"histogram", {524288, 1}, {256, 1}},
    {"crc", {16384, 1}, {64, 1}},
};

static void must(cl_int result, const char *what)
{
    if (result != CL_SUCCESS) {
        fprintf(stderr, "nine_opencl: %s: OpenCL gives %d\n", what, (int)result);
        exit(1);
    }
}

/** All of a file, with a 0 behind it. */
static char *read_file(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        perror(name);
        exit(1);
    }
    *size = (size_t)ftell(f);
    rewind(f);
    char *p = calloc(1, *size + 1);
    if (p == NULL || fread(p, 1, *size, f) != *size) {
        perror(name);
        exit(1);
    }
    fclose(f);
    return p;
}

static cl_device_id find_cpu(void)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint n = 0;
    must(clGetPlatformIDs(MOST_PLATFORMS, platforms, &n), "platforms");
    for (cl_uint i = 0; i < n && i < MOST_PLATFORMS; i++) {
        cl_device_id device = NULL;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS) {
            return device;
        }
    }
    fprintf(stderr, "nine_opencl: no OpenCL device is a CPU\n");
    exit(1);
}

static cl_kernel compile(cl_context context, const char *self, const char *name)
{
    char path[4096] = "";
    const char *slash = strrchr(self, '/');
    size_t size = 0;
    cl_int result = CL_SUCCESS;
    snprintf(path, sizeof path, "%.*snine.cl", slash != NULL ? (int)(slash + 1 - self) : 0, self);
    const char *text = read_file(path, &size);
    cl_program program = clCreateProgramWithSource(context, 1, &text, &size, &result);
    must(result, path);
    must(clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL), path);
    cl_kernel kernel = clCreateKernel(program, name, &result);
    must(result, name);
    return kernel;
}

int main(int argc, char **argv)
{
    cl_int result = CL_SUCCESS;
    cl_device_id device = find_cpu();
    char version[256] = "";
    if (argc < 5 || argc > 4 + MOST) {
        must(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL), "version");
        puts(version);
        return 0;
    }
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    must(result, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &result);
    must(result, "queue");
    cl_kernel kernel = compile(context, argv[0], argv[1]);
    cl_mem buffers[MOST] = {NULL};
    char *first = NULL;
    size_t first_size = 0;
    for (int i = 0; i < argc - 4; i++) {
        size_t size = 0;
        char *data = read_file(argv[4 + i], &size);
        buffers[i] =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, data, &result);
        must(result, argv[4 + i]);
        must(clSetKernelArg(kernel, (cl_uint)i, sizeof buffers[i], &buffers[i]), argv[4 + i]);
        first = i == 0 ? data : first;
        first_size = i == 0 ? size : first_size;
    }
    for (size_t k = 0; k < sizeof works / sizeof works[0]; k++) {
        const struct work *w = &works[k];
        for (int i = 0; i < atoi(argv[2]) && strcmp(w->name, argv[1]) == 0; i++) {
            must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, w->global, w->group, 0, NULL, NULL),
                 w->name);
            must(clFinish(queue), w->name);
        }
    }
    must(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, first_size, first, 0, NULL, NULL),
         "results");
    FILE *f = strcmp(argv[3], "-") != 0 ? fopen(argv[3], "wb") : NULL;
    if (f != NULL && (fwrite(first, 1, first_size, f) != first_size || fclose(f) != 0)) {
        perror(argv[3]);
        return 1;
    }
    return 0;
}
